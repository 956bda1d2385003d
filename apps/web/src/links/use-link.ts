import { useQuery } from '@tanstack/preact-query';
import type { Link } from '@waymark/contract';
import { api } from '../api/client.ts';

export function readLink(id: string, signal?: AbortSignal): Promise<Link> {
  return api('GET /api/v1/links/{id}', { path: { id }, signal });
}

/** Loads a link, if there is an id. */
export function useLink(id: string | undefined) {
  return useQuery({
    queryKey: ['links', 'one', id],
    queryFn: ({ signal }) => readLink(id!, signal),
    enabled: id !== undefined,
  });
}
