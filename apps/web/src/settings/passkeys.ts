import { useQuery, useQueryClient } from '@tanstack/preact-query';
import { api } from '../api/client.ts';
import { createPasskey } from '../session/passkeys.ts';

const PASSKEYS = ['passkeys'];

/** Loads the passkeys of the account. */
export function usePasskeys() {
  return useQuery({
    queryKey: PASSKEYS,
    queryFn: ({ signal }) => api('GET /api/v1/me/passkeys', { signal }),
  });
}

/** Returns the functions that change passkeys. Both load the list again, and do not wait for it. */
export function usePasskeyActions() {
  const queryClient = useQueryClient();
  const changed = () => void queryClient.invalidateQueries({ queryKey: PASSKEYS });
  return {
    /** Lets the user make a passkey, and adds it. */
    async add(name: string): Promise<void> {
      const options = await api('POST /api/v1/me/passkeys/options', {});
      const response = await createPasskey(options);
      await api('POST /api/v1/me/passkeys', { body: { name, response } });
      changed();
    },
    async remove(id: string): Promise<void> {
      await api('DELETE /api/v1/me/passkeys/{id}', { path: { id } });
      changed();
    },
  };
}
