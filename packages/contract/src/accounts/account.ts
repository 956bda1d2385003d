import Type, { type Static } from 'typebox';
import { HASHTAG_MAX_LENGTH } from '../links/hashtags.ts';
import { nullableText, nullableTimestamp, oneOf } from '../text.ts';
import { ACTIONS, type Action, ROLES } from './action.ts';

/** The plans, from lowest to highest. */
export const PLANS = ['free', 'starter', 'developer', 'business'] as const;
export type Plan = (typeof PLANS)[number];

export const SCOPES = ['full_access', 'public_links_only'] as const;
export type Scope = (typeof SCOPES)[number];

/** Returns true if the plan includes API and MCP access: Developer or higher. */
export function includesApi(plan: Plan): boolean {
  return PLANS.indexOf(plan) >= PLANS.indexOf('developer');
}

export const PLAN_FORBIDDEN_MESSAGE =
  'API and MCP access requires the Developer plan or higher; this account has a lower one.';

/** What a restricted key may do, as it sees it. */
export const KeyRestriction = Type.Object(
  {
    name: Type.String({ description: 'The name of the key.', examples: ['Newsletter agent'] }),
    actions: Type.Array(Type.Unsafe<Action>({ type: 'string', enum: [...ACTIONS] }), {
      description: 'What the key may do.',
      examples: [['read', 'analytics']],
    }),
    hashtag: nullableText(HASHTAG_MAX_LENGTH, {
      description: 'Only links with this hashtag exist for the key. Null: every link of its scope.',
      examples: ['newsletter'],
    }),
    expires_at: nullableTimestamp({
      description: 'When the key stops working. Null: never.',
      examples: ['2027-09-01T00:00:00.000Z'],
    }),
  },
  { additionalProperties: false, description: 'Only with a restricted key: what it may do.' },
);

const fields = {
  username: Type.String({ description: 'The account’s user name.', examples: ['ada'] }),
  plan: oneOf(PLANS, { description: 'The account’s plan.', examples: ['developer'] }),
  key_scope: oneOf(SCOPES, {
    description:
      'What the calling key may see: `full_access` every link, `public_links_only` public and unlisted links.',
    examples: ['full_access'],
  }),
  key: Type.Optional(KeyRestriction),
};
const description = 'The account that the API key belongs to.';

/** The result of the tool `get_me`. No person has a session there. */
export const AccountOfKey = Type.Object(fields, { additionalProperties: false, description });

/** The person whose session it is. */
export const Person = Type.Object(
  {
    name: Type.String({ description: 'Their name at the provider.', examples: ['Ada Lovelace'] }),
    role: oneOf(ROLES, { description: 'Their role in the account.', examples: ['editor'] }),
  },
  { additionalProperties: false, description: 'Only with the session of a person of an OpenID provider.' },
);

/** The response of `GET /api/v1/me`. */
export const Account = Type.Object(
  {
    ...fields,
    person: Type.Optional(Person),
  },
  { additionalProperties: false, description },
);
export type Account = Static<typeof Account>;
