import type { EventLink, EventType, Host, Passkey, Scope, Webhook } from '@waymark/contract';

/**
 * Who made a change. `scope`, `hint` and, of a restricted one, `name` tell which key it was. The session of a person has
 * their name.
 */
export type Actor =
  | { kind: 'key'; scope: Scope; hint: string | null; name: string | null }
  | { kind: 'session' | 'admin' | 'system'; scope: null; hint: null; name: string | null };

/** What an event tells besides its type. A changed note is an empty object, and a password is never shown. */
export type EventData =
  | { link: EventLink; changes?: Record<string, { from?: unknown; to?: unknown }> }
  | { host: Host; changes?: Record<string, { from: unknown; to: unknown }> }
  | { scope: Scope; hint: string | null; id?: string; name?: string }
  | { webhook: Webhook }
  | { passkey: Pick<Passkey, 'id' | 'name'> }
  | { from: string | null; to: string }
  | Record<string, never>;

/** The type of an event that only caches read: the clicks of a link were forgotten. */
export const CLICKS_FORGOTTEN = 'link.clicks_forgotten';

/** What an event is before it gets its place in the log. */
export interface NewEvent {
  type: EventType | typeof CLICKS_FORGOTTEN;
  actor: Actor;
  data: EventData;
  /** The link that the event is about. */
  link_id?: string;
  /** Of a link: the views that show it before or after the change ({@link viewsOf}). */
  seen_by?: string[];
  /** Those of them that the change hid it from. Missing if there is none. */
  hidden_from?: string[];
  /** The redirects that the change created, changed or removed. */
  redirect_ids?: string[];
}

/** An event of an account's log. */
export interface EventDocument extends NewEvent {
  /** See {@link eventId}. */
  _id: string;
  account_id: string;
  /** Random. The account has that of its last event. */
  change_id: string;
  created_at: Date;
  /** An index deletes it then. */
  expires_at: Date;
}
