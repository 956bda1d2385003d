import { useQuery } from '@tanstack/preact-query';
import type { AutoMeta } from '@waymark/contract';
import { api } from '../api/client.ts';
import { useSettled } from '../components/settled.ts';

const DEBOUNCE_MS = 500;

/**
 * Returns what the page of a URL says about itself: null if nothing was asked, undefined until there is a response. One
 * request is made at a time, and what an earlier URL said is never returned for a later one.
 */
export function useAutoMeta(url: string): AutoMeta | null | undefined {
  const settled = useSettled(url, DEBOUNCE_MS);
  const { data, isError } = useQuery({
    queryKey: ['auto-meta', settled],
    queryFn: ({ signal }) => api('GET /api/v1/auto-meta', { query: { destination_url: settled }, signal }),
    enabled: isPage(settled),
    retry: false,
    refetchOnWindowFocus: false,
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (!isPage(url) || (isError && url === settled)) return null;
  return url === settled ? data : undefined;
}

function isPage(url: string): boolean {
  return /^https?:\/\/[^\s@]+$/i.test(url) && URL.canParse(url);
}
