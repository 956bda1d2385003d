import { useQuery } from '@tanstack/preact-query';
import { api } from '../api/client.ts';

/** Loads a link, if there is an id. */
export function useLink(id: string | undefined) {
  return useQuery({
    queryKey: ['links', 'one', id],
    queryFn: ({ signal }) => api('GET /api/v1/links/{id}', { path: { id: id! }, signal }),
    enabled: id !== undefined,
  });
}
