import { createHash } from 'node:crypto';
import type { Delivery, Webhook } from '@waymark/contract';
import type { StoredDelivery, WebhookDocument } from '../database/documents/webhook.ts';

const DELIVERY_ID_BYTES = 18;

/** Returns a webhook as clients see it. */
export function shownWebhook(document: WebhookDocument): Webhook {
  const { _id, url, types, scope, hashtag, enabled, disabled_reason, failing_since, created_at, notice } = document;
  return {
    id: _id,
    url,
    types,
    scope,
    hashtag,
    enabled,
    disabled_reason,
    failing_since: failing_since?.toISOString() ?? null,
    created_at: created_at.toISOString(),
    ...(notice !== null && { notice }),
  };
}

/** Returns an attempt as clients see it. */
export function shownDelivery({ at, ...delivery }: StoredDelivery): Delivery {
  return { ...delivery, at: at.toISOString() };
}

/** Returns the `webhook-id` of an event: the same in every attempt and replay, and another one for another webhook. */
export function deliveryId(webhookId: string, eventId: string): string {
  const hash = createHash('sha256').update(`${webhookId} ${eventId}`).digest();
  return `msg_${hash.subarray(0, DELIVERY_ID_BYTES).toString('base64url')}`;
}
