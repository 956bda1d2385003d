import { useQuery } from '@tanstack/preact-query';
import { api } from '../api/client.ts';

/** Loads the link that the view filters by, if there is one. */
export function useLink(id: string | undefined) {
  return useQuery({
    queryKey: ['links', 'one', id],
    queryFn: ({ signal }) => api('GET /api/v1/links/{id}', { path: { id: id! }, signal }),
    enabled: id !== undefined,
  });
}
