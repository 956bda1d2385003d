import type { AccountIdentity } from '@waymark/auth';
import type { Account } from '@waymark/contract';

/** Returns the account of an identity as clients see it. The data are as old as the signed identity. */
export function meOf(identity: AccountIdentity): Account {
  return { username: identity.username, plan: identity.plan, key_scope: identity.scope };
}
