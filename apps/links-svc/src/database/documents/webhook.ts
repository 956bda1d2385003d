import type { Scope } from '@waymark/contract';
import type { Lease } from './lease.ts';

/**
 * A webhook as it is stored. Changes write what clients ask for, and a new `request_id` with it. Whoever holds the lease
 * writes the rest, and notices by `request_id` that something was asked for.
 */
export interface WebhookDocument extends Lease {
  /** Begins with the account and the time, like that of a link. */
  _id: string;
  account_id: string;
  url: string;
  /** Types of events, and groups of them such as `link.*`. */
  types: string[];
  scope: Scope;
  hashtag: string | null;
  enabled: boolean;
  disabled_reason: string | null;
  created_at: Date;
  /** The current secret, and one that it replaced. */
  secrets: StoredSecret[];
  /** The key that encrypts the secrets (`webhook-secrets.ts`). */
  key_id: string;
  /** A random id of the last request that changed it. */
  request_id: string;
  /** The id of the event after which to send events again. */
  replay_after: string | null;
  /** The id of a test event to send. */
  test_id: string | null;
  /** The id up to which each event was delivered, given up, is not for this webhook, or is one of `retries`. */
  position: string;
  /** The cursor behind the clicks that were sent or wait for a retry. Null if it gets no clicks. */
  clicks_after: string | null;
  /** When links of the account were clicked. Null if they were not since the last look. */
  clicks_at: Date | null;
  /** When to look for clicks although there are no new ones, or null. Missing in older documents. */
  clicks_due_at?: Date | null;
  /** Events to send again and clicks that are being sent, in the order of `due_at`. */
  retries: Retry[];
  /** True while there is no room for another retry: then the position stops. */
  stalled: boolean;
  failing_since: Date | null;
  /** The last attempts, newest first. */
  deliveries: StoredDelivery[];
  notice: string | null;
  /** When there is work besides new events, or null. */
  due_at: Date | null;
}

export interface StoredSecret {
  /** Encrypted (`webhook-secrets.ts`). */
  ciphertext: string;
  /** When it stops signing. Null for the current one. */
  until: Date | null;
}

/** An event, or some clicks, that were not delivered yet. */
export interface Retry {
  event_id: string;
  /** How often they were tried. */
  attempts: number;
  due_at: Date;
}

/** An attempt to deliver an event. */
export interface StoredDelivery {
  event_id: string;
  type: string;
  attempt: number;
  status: number | null;
  duration_ms: number;
  at: Date;
  error: string | null;
}
