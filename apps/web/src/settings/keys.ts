import { useQuery, useQueryClient } from '@tanstack/preact-query';
import type { Scope } from '@waymark/contract';
import { api } from '../api/client.ts';
import { askBeforeUnload } from '../components/long-work.ts';

export const SCOPES: readonly Scope[] = ['full_access', 'public_links_only'];

const KEYS = ['keys'];
/** An agent that has just been connected appears without a reload. */
const POLL_MS = 5_000;

/** Loads the keys that work, without the keys themselves. */
export function useKeys() {
  return useQuery({
    queryKey: KEYS,
    queryFn: ({ signal }) => api('GET /api/v1/me/keys', { signal }),
    refetchInterval: POLL_MS,
    refetchOnWindowFocus: 'always',
  });
}

/** Returns the functions that change keys. Both load the list again, and do not wait for it. */
export function useKeyActions() {
  const queryClient = useQueryClient();
  const changed = () => void queryClient.invalidateQueries({ queryKey: KEYS });
  return {
    /** Creates a key, in place of the current one if there is one. Returns it: it is shown only now. */
    async rotate(scope: Scope): Promise<string> {
      addEventListener('beforeunload', askBeforeUnload);
      try {
        const { key } = await api('POST /api/v1/me/keys/{scope}/rotate', { path: { scope } });
        changed();
        return key;
      } finally {
        removeEventListener('beforeunload', askBeforeUnload);
      }
    },
    async revoke(scope: Scope): Promise<void> {
      await api('DELETE /api/v1/me/keys/{scope}', { path: { scope } });
      changed();
    },
  };
}
