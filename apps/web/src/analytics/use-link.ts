import { useQuery } from '@tanstack/preact-query';
import { api, dataOf } from '../api/client.ts';

/** Loads the link that the view filters by, if there is one. */
export function useLink(id: string | undefined) {
  return useQuery({
    queryKey: ['links', 'one', id],
    queryFn: ({ signal }) => dataOf(api.GET('/api/v1/links/{id}', { params: { path: { id: id! } }, signal })),
    enabled: id !== undefined,
  });
}
