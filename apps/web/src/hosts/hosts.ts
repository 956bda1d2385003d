import { useQuery, useQueryClient } from '@tanstack/preact-query';
import type { Host, UpdateHostInput } from '@waymark/contract';
import { unlessGone } from '../api/api-error.ts';
import { api } from '../api/client.ts';

const HOSTS = ['hosts'];

/** Loads the short hosts of the account, oldest first. */
export function useHosts() {
  return useQuery({ queryKey: HOSTS, queryFn: ({ signal }) => api('GET /api/v1/hosts', { signal }) });
}

/** Returns the functions that change hosts. Each loads the list again, and does not wait for it. */
export function useHostActions() {
  const queryClient = useQueryClient();
  const changed = <Result>(result: Result): Result => {
    void queryClient.invalidateQueries({ queryKey: HOSTS });
    return result;
  };
  return {
    async add(host: string): Promise<Host> {
      return changed(await api('POST /api/v1/hosts', { body: { host } }));
    },
    async update(id: string, body: UpdateHostInput): Promise<Host> {
      return changed(await api('PUT /api/v1/hosts/{id}', { path: { id }, body }));
    },
    /** Deletes a host. One that is gone already is deleted, too. */
    async remove(id: string): Promise<void> {
      await api('DELETE /api/v1/hosts/{id}', { path: { id } }).catch(unlessGone);
      changed(null);
    },
    /** Looks for the TXT record, and returns the updated host. */
    async verify(id: string): Promise<Host> {
      return changed(await api('POST /api/v1/hosts/{id}/verify', { path: { id } }));
    },
  };
}
