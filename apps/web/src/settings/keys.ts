import { useQuery, useQueryClient } from '@tanstack/preact-query';
import type { AccountKeys, CreateRestrictedKeyInput, NewRestrictedKey, Scope } from '@waymark/contract';
import { unlessGone } from '../api/api-error.ts';
import { api } from '../api/client.ts';
import { askingBeforeUnload } from '../components/long-work.ts';

export const SCOPES: readonly Scope[] = ['full_access', 'public_links_only'];

const KEYS = ['keys'];
const RESTRICTED_KEYS = [...KEYS, 'restricted'];
/** An agent that has just been connected appears without a reload. */
const REFRESHED = { refetchInterval: 5_000, refetchOnWindowFocus: 'always' } as const;

/** Loads the two keys that work, without the keys themselves. */
export function useKeys() {
  return useQuery({
    queryKey: KEYS,
    queryFn: ({ signal }) => api('GET /api/v1/me/keys', { signal }),
    ...REFRESHED,
  });
}

/** Loads the restricted keys that work, without the keys themselves. */
export function useRestrictedKeys() {
  return useQuery({
    queryKey: RESTRICTED_KEYS,
    queryFn: ({ signal }) => api('GET /api/v1/me/keys/restricted', { signal }),
    ...REFRESHED,
  });
}

/** Returns the functions that change keys. All load the lists again, and do not wait for them. */
export function useKeyActions() {
  const queryClient = useQueryClient();
  const changed = () => void queryClient.invalidateQueries({ queryKey: KEYS });
  const making = async <Key>(make: () => Promise<Key>): Promise<Key> => {
    const made = await askingBeforeUnload(make);
    changed();
    return made;
  };
  return {
    /**
     * Creates a key, in place of the current one if there is one, which goes on working for so many seconds. Returns the
     * new key: it is shown only now.
     */
    async rotate(scope: Scope, grace_seconds: number): Promise<string> {
      const sent = { path: { scope }, body: { grace_seconds } };
      const { key } = await making(() => api('POST /api/v1/me/keys/{scope}/rotate', sent));
      return key;
    },
    async revoke(scope: Scope): Promise<void> {
      await api('DELETE /api/v1/me/keys/{scope}', { path: { scope } });
      // At once, so that nobody is asked whether to replace a key that is gone.
      queryClient.setQueryData<AccountKeys>(
        KEYS,
        (list) => list && { keys: list.keys.filter((key) => key.scope !== scope) },
      );
      changed();
    },
    /** Creates a restricted key. Returns it with the key itself: that is shown only now. */
    createRestricted(body: CreateRestrictedKeyInput): Promise<NewRestrictedKey> {
      return making(() => api('POST /api/v1/me/keys/restricted', { body }));
    },
    /** Deletes a restricted key, if it still works. */
    async deleteRestricted(id: string): Promise<void> {
      await api('DELETE /api/v1/me/keys/restricted/{id}', { path: { id } }).catch(unlessGone);
      changed();
    },
  };
}
