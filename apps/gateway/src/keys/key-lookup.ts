import type { Signer } from '@waymark/auth';
import { PLANS, type Plan, SCOPES, type Scope } from '@waymark/contract';
import type { CallOptions } from '@waymark/proto';
import { type Accounts, callAccounts } from './call-accounts.ts';
import type { Credential } from './credential.ts';
import type { KeyLookup, KeyOwner } from './key-resolver.ts';

const LOOKUP_TIMEOUT_MS = 1000;

/**
 * Creates a lookup that gets from links-svc the owner of a key or session.
 * @throws {AppError} `unavailable` (from the lookup) as {@link callAccounts} does.
 */
export function createKeyLookup(accounts: Accounts, signer: Signer): KeyLookup {
  return (credential, requestId) =>
    callAccounts(signer, { timeoutMs: LOOKUP_TIMEOUT_MS, requestId }, (options) =>
      findOwner(accounts, credential, options),
    );
}

async function findOwner(accounts: Accounts, { kind, hash }: Credential, options: CallOptions): Promise<KeyOwner> {
  if (kind === 'session') {
    const { accountId, username, plan, sessionId } = await accounts.resolveSession({ tokenHash: hash }, options);
    if (sessionId === '') throw new TypeError('ResolveSession returned no session id');
    return checkOwner({ accountId, username, plan, scope: 'full_access', sessionId });
  }
  const { accountId, username, plan, scope } = await accounts.resolveKey({ keyHash: hash }, options);
  return checkOwner({ accountId, username, plan, scope });
}

function checkOwner(owner: Omit<KeyOwner, 'plan' | 'scope'> & { plan: string; scope: string }): KeyOwner {
  const { accountId, plan, scope } = owner;
  if (accountId === '' || !PLANS.includes(plan as Plan) || !SCOPES.includes(scope as Scope))
    throw new TypeError(`links-svc returned an unknown account, plan or scope: ${plan}, ${scope}`);
  return { ...owner, plan: plan as Plan, scope: scope as Scope };
}
