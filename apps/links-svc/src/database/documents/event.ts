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

/** The types of events of links. */
export type LinkEventType = Extract<EventType, `link.${string}`>;

/** The type of an event that only caches read: the clicks of a link were forgotten. */
export const CLICKS_FORGOTTEN = 'link.clicks_forgotten';

interface EventParts {
  actor: Actor;
  data: EventData;
  /** The redirects that the change created, changed or removed. */
  redirect_ids?: string[];
}

/** An event of a link before it gets its place in the log (`appendLinkEvent`). */
interface EventOfLink extends EventParts {
  type: LinkEventType;
  link_id: string;
  /** The views that show the link before or after the change ({@link viewsOf}). */
  seen_by: string[];
  /** Those of them that the change hid it from. Missing where it hid it from nobody. */
  hidden_from?: string[];
}

/** An event that only Full Access keys see, or none. */
interface OtherEvent extends EventParts {
  type: Exclude<EventType, LinkEventType> | typeof CLICKS_FORGOTTEN;
  link_id?: string;
  seen_by?: never;
  hidden_from?: never;
}

/** What an event is before it gets its place in the log. */
export type NewEvent = EventOfLink | OtherEvent;

/** An event of an account's log. */
export type EventDocument = NewEvent & {
  /** See {@link eventId}. */
  _id: string;
  account_id: string;
  /** Random. The account has that of its last event. */
  change_id: string;
  created_at: Date;
  /** An index deletes it then. */
  expires_at: Date;
};
