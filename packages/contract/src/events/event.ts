import Type, { type Static } from 'typebox';
import { Actor } from '../actor.ts';
import { Link, LinkId } from '../links/link.ts';
import { Notice } from '../notice.ts';
import { oneOf, timestamp } from '../text.ts';

/** What can happen in an account. */
export const EVENT_TYPES = [
  'link.created',
  'link.updated',
  'link.deleted',
  'link.expired',
  'link.broken',
  'link.recovered',
  'host.added',
  'host.updated',
  'host.verified',
  'host.lost',
  'host.deleted',
  'passkey.added',
  'passkey.deleted',
  'key.created',
  'key.rotated',
  'key.revoked',
  'session.started',
  'session.ended',
  'webhook.created',
  'webhook.disabled',
  'webhook.deleted',
  'account.plan_changed',
] as const;
export type EventType = (typeof EVENT_TYPES)[number];

const EVENT_ID_EXAMPLE = '2vXh0cQm5rWk8sTz1bNf4A';

/** The most events of one response. */
export const EVENTS_MAX = 100;

/** The query of `GET /api/v1/events`. */
export const ListEventsQuery = Type.Object(
  {
    after: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 64,
        description:
          '`next` of the response before, or the id of an event: only later events. Default: from the oldest.',
        examples: [EVENT_ID_EXAMPLE],
      }),
    ),
    types: Type.Optional(
      Type.String({
        maxLength: 1_000,
        format: 'event-types',
        description: 'Only events of these types, separated by commas.',
        examples: ['link.created,link.deleted'],
      }),
    ),
    link_id: Type.Optional(
      Type.String({ ...LinkId, description: 'Only events of the link with this id, also of a deleted one.' }),
    ),
    limit: Type.Integer({ minimum: 1, maximum: EVENTS_MAX, default: 25, description: 'The most events to return.' }),
    dir: oneOf(['asc', 'desc'], {
      default: 'asc',
      description: 'The order. `desc` is from the newest event back: `after` and `next` lead to older ones.',
      examples: ['desc'],
    }),
  },
  { additionalProperties: false },
);
export type ListEventsQuery = Static<typeof ListEventsQuery>;

/** Returns the types that a valid `types` names, or undefined for all. */
export function eventTypesOf(types: string | undefined): EventType[] | undefined {
  return types?.split(',') as EventType[] | undefined;
}

/** Returns true for types of events, separated by commas. */
export function areEventTypes(types: string): boolean {
  return types.split(',').every((type) => (EVENT_TYPES as readonly string[]).includes(type));
}

const {
  note: _note,
  clicks: _clicks,
  last_clicked_at: _clickedAt,
  short_url: _url,
  health,
  ...shownFields
} = Link.properties;

/**
 * A link as an event shows it: without its note, and without its clicks, which are no part of a change. Only events about
 * its health have that.
 */
const EventLink = Type.Object({ ...shownFields, health: Type.Optional(health) }, { additionalProperties: false });
export type EventLink = Static<typeof EventLink>;

/** What happened in an account. */
export const AccountEvent = Type.Object(
  {
    id: Type.String({ description: 'Identifies the event; `after` takes it.', examples: [EVENT_ID_EXAMPLE] }),
    type: oneOf(EVENT_TYPES, { description: 'What happened.', examples: ['link.updated'] }),
    created_at: timestamp({ description: 'When it happened.', examples: ['2026-11-21T09:30:00.000Z'] }),
    actor: Type.Optional(
      Type.Unsafe<Actor>({ ...Actor, description: 'Who did it. Absent for a key that does not see all links.' }),
    ),
    data: Type.Unsafe<Record<string, unknown>>({
      type: 'object',
      additionalProperties: true,
      description:
        'Of a link: `link` (without its note and clicks), and of an update `changes`, each field with `from` and `to`; a changed `note` is `{}`. Of a link that is hidden from the key now, `link` has its `id` alone. Of a host, passkey or webhook: that. Of a key: its `scope` and `hint`, and if it is a restricted one its `id` and `name`. Of the plan: `from`, which is null for a new account, and `to`.',
      examples: [
        {
          link: { id: '019a4f0e8f2c7d31a4b6', slug: 'summer-sale' },
          changes: { title: { from: 'Sale', to: 'Summer sale' } },
        },
      ],
    }),
  },
  { additionalProperties: false, description: 'Something that happened in the account.' },
);
export type AccountEvent = Static<typeof AccountEvent>;

/** The response of `GET /api/v1/events`. */
export const EventList = Type.Object(
  {
    events: Type.Array(AccountEvent, { maxItems: EVENTS_MAX, description: 'The events in the order of the account.' }),
    next: Type.String({
      description: 'Send it as `after` to get later events. While it is another one than `after`, there may be more.',
      examples: [EVENT_ID_EXAMPLE],
    }),
    notice: Notice,
  },
  { additionalProperties: false, description: 'Events of the account, oldest first.' },
);
export type EventList = Static<typeof EventList>;

export const EVENTS_LOST_MESSAGE =
  '"after" is too old, or not the id of an event of this account; leave it out to begin with the oldest event that is kept.';
export const MORE_EVENTS_NOTICE = 'There may be more events: send "next" as "after".';
