import { keepPreviousData, useInfiniteQuery } from '@tanstack/preact-query';
import { api } from '../api/client.ts';

const PAGE = 50;

/** Loads the log of the account, newest first, of some types or of a link. Further pages are older. */
export function useEvents(types: string | undefined, link: string | undefined) {
  return useInfiniteQuery({
    queryKey: ['events', types, link],
    queryFn: ({ pageParam, signal }) => {
      const query = {
        dir: 'desc',
        limit: PAGE,
        ...(types !== undefined && { types }),
        ...(link !== undefined && { link_id: link }),
        ...(pageParam !== undefined && { after: pageParam }),
      } as const;
      return api('GET /api/v1/events', { query, signal });
    },
    initialPageParam: undefined as string | undefined,
    // A response that is cut has a notice.
    getNextPageParam: ({ events, next, notice }) => (events.length < PAGE && notice === undefined ? undefined : next),
    placeholderData: keepPreviousData,
    // What was just done is in it.
    staleTime: 0,
    refetchOnWindowFocus: 'always',
  });
}
