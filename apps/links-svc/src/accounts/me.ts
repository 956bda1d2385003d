import type { AccountIdentity } from '@waymark/auth';
import type { Account } from '@waymark/contract';

/** Returns the account of an identity as clients see it. The data are as old as the signed identity. */
export function meOf({ username, plan, scope, key, person }: AccountIdentity): Account {
  return {
    username,
    plan,
    key_scope: scope,
    ...(key !== undefined && {
      key: { name: key.name, actions: [...key.actions], hashtag: key.hashtag, expires_at: key.expiresAt },
    }),
    ...(person !== undefined && { person }),
  };
}
