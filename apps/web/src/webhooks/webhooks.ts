import { useQuery, useQueryClient } from '@tanstack/preact-query';
import type { Sent } from '@waymark/client';
import type { CreateWebhookInput, NewWebhook, UpdateWebhookInput, Webhook, Webhooks } from '@waymark/contract';
import { unlessGone } from '../api/api-error.ts';
import { api, apiResponse } from '../api/client.ts';
import { askingBeforeUnload } from '../components/long-work.ts';

const WEBHOOKS = ['webhooks'];
/** A delivery appears without a reload. */
const REFRESHED_MS = 2_000;

/** Loads the webhooks of the account. */
export function useWebhooks() {
  return useQuery({ queryKey: WEBHOOKS, queryFn: ({ signal }) => api('GET /api/v1/webhooks', { signal }) });
}

/** Loads the last deliveries of a webhook, again and again. */
export function useDeliveries(id: string) {
  return useQuery({
    queryKey: ['deliveries', id],
    queryFn: ({ signal }) => api('GET /api/v1/webhooks/{id}/deliveries', { path: { id }, signal }),
    refetchInterval: REFRESHED_MS,
  });
}

/** Returns the functions that change webhooks. Each loads the list again, and does not wait for it. */
export function useWebhookActions() {
  const queryClient = useQueryClient();
  const changed = <Result>(result: Result): Result => {
    void queryClient.invalidateQueries({ queryKey: WEBHOOKS });
    return result;
  };
  const making = async <Made>(make: () => Promise<Made>) => changed(await askingBeforeUnload(make));
  return {
    /** Creates a webhook. Returns it with its secret, which is shown only now. */
    create(body: CreateWebhookInput): Promise<NewWebhook> {
      return making(() => api('POST /api/v1/webhooks', { body: body as Sent<'POST /api/v1/webhooks'>['body'] }));
    },
    /** Creates a secret beside the one before. Returns it: it is shown only now. */
    async rotateSecret(id: string): Promise<string> {
      return (await making(() => api('POST /api/v1/webhooks/{id}/rotate-secret', { path: { id } }))).secret;
    },
    async update(id: string, body: UpdateWebhookInput): Promise<Webhook> {
      const sent = { path: { id }, body: body as Sent<'PUT /api/v1/webhooks/{id}'>['body'] };
      const webhook = await api('PUT /api/v1/webhooks/{id}', sent);
      // At once, so that the buttons fit what was done.
      queryClient.setQueryData<Webhooks>(
        WEBHOOKS,
        (list) => list && { webhooks: list.webhooks.map((other) => (other.id === id ? webhook : other)) },
      );
      return changed(webhook);
    },
    /** Deletes a webhook. One that is gone already is deleted, too. */
    async remove(id: string): Promise<void> {
      await api('DELETE /api/v1/webhooks/{id}', { path: { id } }).catch(unlessGone);
      changed(null);
    },
    async test(id: string): Promise<void> {
      await apiResponse('POST /api/v1/webhooks/{id}/test', { path: { id } });
      void queryClient.invalidateQueries({ queryKey: ['deliveries', id] });
    },
    /** Sends again what happened after an event. */
    async replay(id: string, after: string): Promise<void> {
      await apiResponse('POST /api/v1/webhooks/{id}/replay', { path: { id }, body: { after } });
      void queryClient.invalidateQueries({ queryKey: ['deliveries', id] });
    },
  };
}
