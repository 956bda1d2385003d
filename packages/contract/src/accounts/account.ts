import Type, { type Static } from 'typebox';
import { oneOf } from '../text.ts';

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

/** The response of `GET /api/v1/me`, and the result of the tool `get_me`. */
export const Account = Type.Object(
  {
    username: Type.String({ description: 'The account’s user name.', examples: ['ada'] }),
    plan: oneOf(PLANS, { description: 'The account’s plan.', examples: ['developer'] }),
    key_scope: oneOf(SCOPES, {
      description:
        'What the calling key may see: `full_access` every link, `public_links_only` public and unlisted links.',
      examples: ['full_access'],
    }),
  },
  { additionalProperties: false, description: 'The account that the API key belongs to.' },
);
export type Account = Static<typeof Account>;
