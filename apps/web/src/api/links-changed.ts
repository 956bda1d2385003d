import { type Query, type QueryClient, useQueryClient } from '@tanstack/preact-query';
import { useCallback } from 'preact/hooks';
import { onRefusal } from './client.ts';
import { onUncertainChange } from './send-change.ts';

/** The beginning of the keys of the pages of links. */
export const LINK_PAGES = ['links', 'page'] as const;

/**
 * Returns the function to call after links changed. It starts to load every list and figure again, and does not wait for
 * them: without a network they never arrive. With the id of a link that was deleted, loads nothing of that one.
 */
export function useLinksChanged(): (deletedId?: string) => void {
  const queryClient = useQueryClient();
  return useCallback(
    (deletedId) => {
      const predicate = ({ queryKey }: Query) => deletedId === undefined || queryKey[2] !== deletedId;
      for (const noun of ['links', 'analytics']) void queryClient.invalidateQueries({ queryKey: [noun], predicate });
    },
    [queryClient],
  );
}

/** Loads the pages of links again after any response that says that a link is gone. */
export function watchGoneLinks(queryClient: QueryClient): void {
  onRefusal((route, { status }) => {
    const isGone = status === 404 && route.includes(' /api/v1/links/{id}');
    if (isGone) void queryClient.invalidateQueries({ queryKey: LINK_PAGES });
  });
}

/** How long the API may still work on a change after its response got lost. */
const RESPONSE_MAX_MS = 5_000;

/** Loads everything again after a change with an unknown outcome: at once, and when the API must be done with it. */
export function watchUncertainChanges(queryClient: QueryClient): void {
  const reload = () => void queryClient.invalidateQueries();
  onUncertainChange(() => {
    reload();
    setTimeout(reload, RESPONSE_MAX_MS);
  });
}
