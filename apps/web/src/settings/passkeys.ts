import { useQuery, useQueryClient } from '@tanstack/preact-query';
import { api } from '../api/client.ts';
import { dropPasskeyOffer } from '../api/session-store.ts';
import { createPasskey, hasPasskeys, signalAccepted } from '../session/passkeys.ts';

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
      dropPasskeyOffer();
      changed();
    },
    /** Deletes a passkey. If it is of this device, the device does not offer it again. */
    async remove(id: string): Promise<void> {
      await api('DELETE /api/v1/me/passkeys/{id}', { path: { id } });
      changed();
      if (hasPasskeys) await tellDevice().catch(() => undefined);
    },
  };
}

/** Tells the device which passkeys are left. If that fails, it says so when the deleted one is used. */
async function tellDevice(): Promise<void> {
  await signalAccepted(await api('POST /api/v1/me/passkeys/options', {}));
}
