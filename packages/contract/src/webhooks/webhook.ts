import Type, { type Static } from 'typebox';
import { SCOPES } from '../accounts/account.ts';
import { RawClick } from '../clicks/raw-click.ts';
import { AccountEvent, EVENT_TYPES } from '../events/event.ts';
import { DESTINATION_MAX_LENGTH } from '../links/destination.ts';
import { HASHTAG_MAX_LENGTH, HASHTAG_SENT_MAX_LENGTH } from '../links/hashtags.ts';
import { nullableText, nullableTimestamp, oneOf, text, timestamp } from '../text.ts';
import { CLICKS_TYPE, WEBHOOK_TEST_TYPE, WEBHOOK_TYPES } from './webhook-types.ts';

/** How many webhooks an account can have. */
export const WEBHOOKS_MAX = 10;
/** How many of a webhook's deliveries are kept. */
export const DELIVERIES_MAX = 100;
/** How many clicks one delivery has at most. */
export const CLICKS_OF_DELIVERY_MAX = 500;
/** How long the former secret of a webhook signs too. */
export const SECRET_GRACE_HOURS = 24;
const TYPES_MAX = 20;

const TYPES = 'The types of events that it gets. `link.*` is every type that begins with `link.`.';
const HASHTAG = 'Only events of links with this hashtag, or null.';
const url = text(1, DESTINATION_MAX_LENGTH, {
  description: 'Where events are sent: an https URL on a public address.',
  examples: ['https://example.com/waymark'],
});
const sentUrl = Type.String({ ...url, format: 'destination-url' });
const type = oneOf(WEBHOOK_TYPES, { description: 'A type of event, or a group of them.', examples: ['link.*'] });
const types = { minItems: 1, maxItems: TYPES_MAX, uniqueItems: true, examples: [['link.*', 'host.lost']] };
const SCOPE = 'Whose view of the events it gets: that of a Full Access or of a Public Links Only key.';
const scope = oneOf(SCOPES, { description: SCOPE, examples: ['public_links_only'] });
const sentHashtag = Type.Unsafe<string | null>({
  type: ['string', 'null'],
  maxLength: HASHTAG_SENT_MAX_LENGTH,
  format: 'hashtag',
  description: HASHTAG,
  examples: ['newsletter'],
});

const fields = {
  id: Type.String({ description: 'Identifies the webhook.', examples: ['019a4f0e8fp6q4w0019a4f0e8fx2b7d9k3m1'] }),
  url,
  types: Type.Array(type, { ...types, description: TYPES }),
  scope,
  hashtag: nullableText(HASHTAG_MAX_LENGTH, { description: HASHTAG, examples: [null] }),
  enabled: Type.Boolean({ description: 'False while nothing is sent.', examples: [true] }),
  disabled_reason: nullableText(200, {
    description: 'Why the service disabled it. Null if it is enabled, or if a request disabled it.',
    examples: [null],
  }),
  failing_since: nullableTimestamp({
    description: 'Since when every delivery has failed. Null if the last one succeeded.',
    examples: [null],
  }),
  created_at: timestamp({ description: 'When it was created.', examples: ['2026-11-01T09:00:00.000Z'] }),
  notice: Type.Optional(
    Type.String({
      description: 'What to know about its events. Absent if there is nothing.',
      examples: ['Events before 2026-11-01T09:00:00.000Z had expired before they could be sent.'],
    }),
  ),
};

/** A webhook, without its secret. */
export const Webhook = Type.Object(fields, {
  additionalProperties: false,
  description: 'Where events of the account are sent.',
});
export type Webhook = Static<typeof Webhook>;

/** The response of `GET /api/v1/webhooks`. */
export const Webhooks = Type.Object(
  { webhooks: Type.Array(Webhook, { maxItems: WEBHOOKS_MAX, description: 'The webhooks, oldest first.' }) },
  { additionalProperties: false, description: 'The webhooks of the account.' },
);
export type Webhooks = Static<typeof Webhooks>;

/** A webhook with a new secret. */
export const NewWebhook = Type.Object(
  {
    ...fields,
    secret: Type.String({
      description: 'Signs its deliveries (Standard Webhooks). It is shown only here.',
      examples: [`whsec_${'A'.repeat(43)}=`],
    }),
  },
  { additionalProperties: false, description: 'A webhook with its new secret.' },
);
export type NewWebhook = Static<typeof NewWebhook>;

/** The body of `POST /api/v1/webhooks`. */
export const CreateWebhookInput = Type.Object(
  {
    url: sentUrl,
    types: Type.Array(type, { ...types, description: TYPES }),
    scope: Type.Optional(
      oneOf(SCOPES, { description: `${SCOPE} If it is not sent, \`full_access\`.`, examples: ['public_links_only'] }),
    ),
    hashtag: Type.Optional(sentHashtag),
  },
  { additionalProperties: false, description: 'A new webhook.' },
);
export type CreateWebhookInput = Static<typeof CreateWebhookInput>;

/** The body of `PUT /api/v1/webhooks/{id}`. */
export const UpdateWebhookInput = Type.Object(
  {
    url: Type.Optional(sentUrl),
    types: Type.Optional(
      Type.Unsafe<string[] | null>({
        ...Type.Array(type, types),
        type: ['array', 'null'],
        description: `${TYPES} Null changes nothing.`,
      }),
    ),
    scope: Type.Optional(scope),
    hashtag: Type.Optional(sentHashtag),
    enabled: Type.Optional(
      Type.Boolean({
        description: 'False stops it. True goes on where it stopped, as long as the events are kept.',
        examples: [true],
      }),
    ),
  },
  { additionalProperties: false, description: 'The fields of a webhook to change.' },
);
export type UpdateWebhookInput = Static<typeof UpdateWebhookInput>;

/** The body of `POST /api/v1/webhooks/{id}/replay`. */
export const ReplayInput = Type.Object(
  {
    after: text(1, 100, {
      description: 'The id of an event. Those after it are sent again.',
      examples: ['2vXh0cQm5rWk8sTz1bNf4A'],
    }),
  },
  { additionalProperties: false, description: 'From where on to send events again.' },
);
export type ReplayInput = Static<typeof ReplayInput>;

/** One attempt to deliver an event. */
export const Delivery = Type.Object(
  {
    event_id: Type.String({ description: 'The id of the event.', examples: ['2vXh0cQm5rWk8sTz1bNf4A'] }),
    type: Type.String({ description: 'The type of the event.', examples: ['link.created'] }),
    attempt: Type.Integer({ minimum: 1, description: '1 for the first attempt.', examples: [1] }),
    status: Type.Unsafe<number | null>({
      type: ['integer', 'null'],
      description: 'The status of the response. Null without a response.',
      examples: [200],
    }),
    duration_ms: Type.Integer({ minimum: 0, description: 'How long it took.', examples: [87] }),
    at: timestamp({ description: 'When it began.', examples: ['2026-11-21T16:40:12.000Z'] }),
    error: nullableText(200, { description: 'Why it failed. Null if it succeeded.', examples: [null] }),
  },
  { additionalProperties: false, description: 'An attempt to deliver an event.' },
);
export type Delivery = Static<typeof Delivery>;

/** The response of `GET /api/v1/webhooks/{id}/deliveries`. */
export const Deliveries = Type.Object(
  { deliveries: Type.Array(Delivery, { maxItems: DELIVERIES_MAX, description: 'The last attempts, newest first.' }) },
  { additionalProperties: false, description: 'The last deliveries of a webhook.' },
);
export type Deliveries = Static<typeof Deliveries>;

/** The body of a delivery. */
export const WebhookEvent = Type.Object(
  {
    type: oneOf([...EVENT_TYPES, WEBHOOK_TEST_TYPE], {
      description: 'What happened. `webhook.test` is the event of a test, whose data are empty.',
      examples: ['link.created'],
    }),
    timestamp: timestamp({ description: 'When it happened.', examples: ['2026-11-21T16:40:12.000Z'] }),
    data: AccountEvent.properties.data,
  },
  { additionalProperties: false, description: 'An event, as a webhook gets it.' },
);
export type WebhookEvent = Static<typeof WebhookEvent>;

/** The body of a delivery of clicks. */
export const WebhookClicks = Type.Object(
  {
    type: oneOf([CLICKS_TYPE], { description: 'Clicks were counted.', examples: [CLICKS_TYPE] }),
    timestamp: timestamp({ description: 'When the last of them was made.', examples: ['2026-11-21T16:40:12.000Z'] }),
    data: Type.Object(
      { clicks: Type.Array(RawClick, { maxItems: CLICKS_OF_DELIVERY_MAX, description: 'The clicks.' }) },
      {
        additionalProperties: false,
        description: 'Clicks, as `GET /api/v1/clicks` returns them.',
        examples: [{ clicks: [] }],
      },
    ),
  },
  { additionalProperties: false, description: 'Counted clicks, as a webhook gets them.' },
);

export const NO_SUCH_WEBHOOK_MESSAGE = 'There is no such webhook.';
export const WEBHOOKS_FULL_MESSAGE = `An account can have at most ${WEBHOOKS_MAX} webhooks; delete one first.`;
export const WEBHOOKS_FORBIDDEN_MESSAGE = 'Webhooks need a Full Access key; this key is Public Links Only.';
