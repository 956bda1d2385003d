import { useQuery } from '@tanstack/preact-query';
import { api } from '../api/client.ts';

/** Loads the hashtags of links that are not archived, most links first, once they are wanted. */
export function useHashtags(enabled = true) {
  return useQuery({
    queryKey: ['links', 'hashtags'],
    queryFn: ({ signal }) => api('GET /api/v1/hashtags', { signal }),
    enabled,
  });
}

/** Loads how many links have a hashtag, archived ones included, and how many of them are archived. */
export function useHashtagCounts(hashtag: string) {
  return useQuery({
    queryKey: ['links', 'hashtag-counts', hashtag],
    queryFn: async ({ signal }) => ({
      all: await countOf(hashtag, 'any', signal),
      archived: await countOf(hashtag, 'true', signal),
    }),
    // A job changes no more links than this says.
    refetchOnMount: 'always',
  });
}

/** Returns true if a link has the hashtag, also an archived one. */
export async function isInUse(hashtag: string): Promise<boolean> {
  return (await countOf(hashtag, 'any')) > 0;
}

async function countOf(hashtag: string, archived: 'true' | 'any', signal?: AbortSignal): Promise<number> {
  const query = { hashtag, archived, per: 1, fields: 'id' };
  return (await api('GET /api/v1/links', { query, signal })).total;
}
