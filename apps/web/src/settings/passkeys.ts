import { useQuery, useQueryClient } from '@tanstack/preact-query';
import type { components } from '../api/api.gen.ts';
import { api, dataOf } from '../api/client.ts';
import { createPasskey } from '../session/passkeys.ts';

export type Passkey = components['schemas']['Passkey'];

const PASSKEYS = ['passkeys'];

/** Loads the passkeys of the account. */
export function usePasskeys() {
  return useQuery({
    queryKey: PASSKEYS,
    queryFn: ({ signal }) => dataOf(api.GET('/api/v1/me/passkeys', { signal })),
  });
}

/** Returns the functions that change passkeys. Both load the list again, and do not wait for it. */
export function usePasskeyActions() {
  const queryClient = useQueryClient();
  const changed = () => void queryClient.invalidateQueries({ queryKey: PASSKEYS });
  return {
    /** Lets the user make a passkey, and adds it. */
    async add(name: string): Promise<void> {
      const options = await dataOf(api.POST('/api/v1/me/passkeys/options'));
      const response = await createPasskey(options);
      await dataOf(api.POST('/api/v1/me/passkeys', { body: { name, response } }));
      changed();
    },
    async remove(id: string): Promise<void> {
      await dataOf(api.DELETE('/api/v1/me/passkeys/{id}', { params: { path: { id } } }));
      changed();
    },
  };
}
