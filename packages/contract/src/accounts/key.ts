import Type, { type Static } from 'typebox';
import { nullableText, nullableTimestamp, oneOf, text, timestamp } from '../text.ts';
import { SCOPES } from './account.ts';

/** How many characters of a key its hint shows. */
export const KEY_HINT_LENGTH = 4;

/** One of the two API keys of an account, without the key itself. */
export const AccountKey = Type.Object(
  {
    scope: oneOf(SCOPES, { description: 'What the key may see.', examples: ['full_access'] }),
    hint: nullableText(KEY_HINT_LENGTH + 1, {
      description: '`…` and the last 4 characters of the key. Null for a key that is older than this field.',
      examples: ['…x9Kd'],
    }),
    created_at: timestamp({ description: 'When the key was created.', examples: ['2026-11-01T09:00:00.000Z'] }),
    last_used_at: nullableTimestamp({
      description:
        'A time at which a request was sent with the key, also one that was refused. Null if it was never used. The latest such request may be up to 65 seconds later than this.',
      examples: ['2026-11-21T16:40:12.000Z'],
    }),
    old_key: Type.Optional(
      Type.Object(
        {
          hint: text(0, KEY_HINT_LENGTH + 1, { description: '`…` and its last 4 characters.', examples: ['…mP3q'] }),
          expires_at: timestamp({ description: 'When it stops working.', examples: ['2026-11-22T09:00:00.000Z'] }),
        },
        { additionalProperties: false, description: 'The key that this one replaced, as long as it works.' },
      ),
    ),
  },
  { additionalProperties: false, description: 'An API key, without the key itself.' },
);
export type AccountKey = Static<typeof AccountKey>;

/** The response of `GET /api/v1/me/keys`. */
export const AccountKeys = Type.Object(
  {
    keys: Type.Array(AccountKey, {
      maxItems: SCOPES.length,
      description: 'The keys that work, Full Access first. A revoked key is not in the list.',
    }),
  },
  { additionalProperties: false, description: 'The API keys of the account.' },
);
export type AccountKeys = Static<typeof AccountKeys>;

/** How long a replaced key may go on working. */
export const GRACE_MAX_SECONDS = 86_400;

/** The body of `POST /api/v1/me/keys/{scope}/rotate`. */
export const RotateKeyInput = Type.Object(
  {
    grace_seconds: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: GRACE_MAX_SECONDS,
        default: 0,
        description: 'How long the old key works beside the new one. Only the last old key does.',
        examples: [3600],
      }),
    ),
  },
  { additionalProperties: false, description: 'How to replace a key.' },
);
export type RotateKeyInput = Static<typeof RotateKeyInput>;

/** The response of `POST /api/v1/me/keys/{scope}/rotate`. */
export const NewKey = Type.Object(
  {
    key: Type.String({ description: 'The new key. It is shown only here.', examples: [`key_live_${'0'.repeat(40)}`] }),
  },
  { additionalProperties: false, description: 'A new API key.' },
);
export type NewKey = Static<typeof NewKey>;

export const NO_SUCH_KEY_MESSAGE = `There is no such key; the scopes of keys are ${SCOPES.join(' and ')}.`;
