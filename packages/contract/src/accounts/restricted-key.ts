import Type, { type Static } from 'typebox';
import { HASHTAG_MAX_LENGTH, HASHTAG_SENT_MAX_LENGTH } from '../links/hashtags.ts';
import { nullableText, nullableTimestamp, oneOf, text, timestamp } from '../text.ts';
import { SCOPES } from './account.ts';
import { ACTIONS } from './action.ts';
import { KEY_HINT_LENGTH } from './key.ts';

/** How many restricted keys an account can have. */
export const RESTRICTED_KEYS_MAX = 100;
const NAME_MAX_LENGTH = 50;

const scope = oneOf(SCOPES, {
  description: 'The key whose links it sees. If that key is revoked, this one ends.',
  examples: ['public_links_only'],
});
const actions = Type.Array(oneOf(ACTIONS, { description: 'An action.', examples: ['read'] }), {
  minItems: 1,
  maxItems: ACTIONS.length,
  uniqueItems: true,
  description: 'What the key may do.',
  examples: [['read', 'analytics']],
});

/** The body of `POST /api/v1/me/keys/restricted`. */
export const CreateRestrictedKeyInput = Type.Object(
  {
    name: text(1, NAME_MAX_LENGTH, { description: 'Tells the key from others.', examples: ['Newsletter agent'] }),
    scope,
    actions,
    hashtag: Type.Optional(
      Type.Unsafe<string | null>({
        type: ['string', 'null'],
        maxLength: HASHTAG_SENT_MAX_LENGTH,
        format: 'hashtag',
        description:
          'Only links with this hashtag exist for the key, and what it creates gets it. Null: every link does.',
        examples: ['newsletter'],
      }),
    ),
    expires_at: Type.Optional(
      Type.Unsafe<string | null>({
        type: ['string', 'null'],
        maxLength: 40,
        format: 'expiry',
        description: 'When the key stops working (RFC 3339). Null: never.',
        examples: ['2027-09-01T00:00:00Z'],
      }),
    ),
  },
  { additionalProperties: false, description: 'A new restricted key.' },
);
export type CreateRestrictedKeyInput = Static<typeof CreateRestrictedKeyInput>;

const fields = {
  id: Type.String({ description: 'Identifies the key.', examples: ['019e4a7b-3c5d-7e8f-9a0b-1c2d3e4f5a6b'] }),
  name: Type.String({ description: 'Its name.', examples: ['Newsletter agent'] }),
  scope,
  hint: text(0, KEY_HINT_LENGTH + 1, { description: '`…` and its last 4 characters.', examples: ['…x9Kd'] }),
  actions,
  hashtag: nullableText(HASHTAG_MAX_LENGTH, {
    description: 'Only links with this hashtag exist for the key. Null: every link of its scope does.',
    examples: ['newsletter'],
  }),
  expires_at: nullableTimestamp({ description: 'When it stops working. Null: never.', examples: [null] }),
  created_at: timestamp({ description: 'When it was created.', examples: ['2026-11-01T09:00:00.000Z'] }),
  last_used_at: nullableTimestamp({
    description: 'A time at which a request was sent with the key. Null if it was never used.',
    examples: ['2026-11-21T16:40:12.000Z'],
  }),
};

/** A restricted key, without the key itself. */
export const RestrictedKey = Type.Object(fields, {
  additionalProperties: false,
  description: 'A restricted key, without the key itself.',
});
export type RestrictedKey = Static<typeof RestrictedKey>;

/** The response of `GET /api/v1/me/keys/restricted`. */
export const RestrictedKeys = Type.Object(
  {
    keys: Type.Array(RestrictedKey, { maxItems: RESTRICTED_KEYS_MAX, description: 'Those that work, oldest first.' }),
  },
  { additionalProperties: false, description: 'The restricted keys of the account.' },
);
export type RestrictedKeys = Static<typeof RestrictedKeys>;

/** The response of `POST /api/v1/me/keys/restricted`. */
export const NewRestrictedKey = Type.Object(
  {
    ...fields,
    key: Type.String({ description: 'The key. It is shown only here.', examples: [`key_res_${'0'.repeat(40)}`] }),
  },
  { additionalProperties: false, description: 'A new restricted key.' },
);
export type NewRestrictedKey = Static<typeof NewRestrictedKey>;

export const RESTRICTED_KEYS_FULL_MESSAGE = `An account can have at most ${RESTRICTED_KEYS_MAX} restricted keys; delete one first.`;
export const NO_SUCH_RESTRICTED_KEY_MESSAGE = 'There is no such restricted key.';
