import { useQuery, useQueryClient } from '@tanstack/preact-query';
import type { SavedFilterQuery, SaveFilterInput } from '@waymark/contract';
import { unlessGone } from '../api/api-error.ts';
import { api } from '../api/client.ts';
import type { LinkView } from './link-query.ts';

const FILTERS = ['filters'];

/** Loads the saved filters of the account, by name. */
export function useSavedFilters() {
  return useQuery({
    queryKey: FILTERS,
    queryFn: ({ signal }) => api('GET /api/v1/me/filters', { signal }),
    // Colleagues save some, too.
    refetchOnMount: 'always',
  });
}

/** Returns the functions that change saved filters. Each loads the list again, and does not wait for it. */
export function useSavedFilterActions() {
  const queryClient = useQueryClient();
  const changed = () => void queryClient.invalidateQueries({ queryKey: FILTERS });
  return {
    async save(body: SaveFilterInput): Promise<void> {
      await api('POST /api/v1/me/filters', { body });
      changed();
    },
    /** Deletes a filter. One that is gone already is deleted, too. */
    async remove(id: string): Promise<void> {
      await api('DELETE /api/v1/me/filters/{id}', { path: { id } }).catch(unlessGone);
      changed();
    },
  };
}

/** Returns what is saved of a view: not its page. Days are saved as days, which begin at midnight of whoever opens them. */
export function savedQuery({ page: _page, per: _per, ...query }: LinkView): SavedFilterQuery {
  return query as SavedFilterQuery;
}

/** Returns the path of a saved filter, with as many rows on a page as now. */
export function savedPath(query: SavedFilterQuery, { per }: LinkView): string {
  const parameters = new URLSearchParams({ ...query, ...(per !== undefined && { per }) });
  return `/links?${parameters}`;
}
