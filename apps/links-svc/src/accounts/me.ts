import type { AccountIdentity } from '@waymark/auth';
import type { Account } from '@waymark/contract';

/** The account of an identity, as clients see it. What the identity says is at most a minute old. */
export function meOf(identity: AccountIdentity): Account {
  return { username: identity.username, plan: identity.plan, key_scope: identity.scope };
}
