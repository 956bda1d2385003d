import type { Role } from '@waymark/contract';
import type { SessionPerson } from '../database/documents/session.ts';

export const SIGN_IN_LINK_LIFETIME_MS = 15 * 60_000;
/** How long the token lasts that a browser gets after a sign-in at an OpenID provider. */
export const PERSON_SIGN_IN_LIFETIME_MS = 60_000;
/** How long a session lasts from its last use. */
export const SESSION_IDLE_MS = 12 * 3_600_000;
/** How long a session lasts in all. */
export const SESSION_LIFETIME_MS = 7 * 24 * 3_600_000;

/** Returns the role of a person in an account of their grants. */
export function roleIn({ grants }: SessionPerson, accountId: string): Role {
  const grant = grants.find(({ account_id }) => account_id === accountId);
  if (grant === undefined) throw new Error('a session has no grant for its account');
  return grant.role;
}
