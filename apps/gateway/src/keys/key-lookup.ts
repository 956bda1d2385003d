import type { Signer } from '@waymark/auth';
import { AppError, PLANS, type Plan, SCOPES, type Scope, UNAVAILABLE_MESSAGE } from '@waymark/contract';
import type { accountsV1, GrpcClient } from '@waymark/proto';
import type { KeyLookup } from './key-resolver.ts';

const LOOKUP_TIMEOUT_MS = 1000;

/**
 * Creates a lookup that asks links-svc for the owner of a key, with the gateway's own identity.
 * @throws {AppError} `unavailable` (from the lookup) if the call fails or the response is invalid: such an error says
 * nothing about the client's key.
 */
export function createKeyLookup(accounts: GrpcClient<typeof accountsV1.AccountsService>, signer: Signer): KeyLookup {
  return async (keyHash, requestId) => {
    const identity = await signer.mint({ kind: 'service', service: 'gateway' });
    try {
      const { accountId, username, plan, scope } = await accounts.resolveKey(
        { keyHash },
        { timeoutMs: LOOKUP_TIMEOUT_MS, requestId, identity },
      );
      if (accountId === '' || !PLANS.includes(plan as Plan) || !SCOPES.includes(scope as Scope)) {
        throw new TypeError(`ResolveKey answered an unknown plan or scope: ${plan}, ${scope}`);
      }
      return { accountId, username, plan: plan as Plan, scope: scope as Scope };
    } catch (cause) {
      if (cause instanceof AppError && cause.code === 'not_found') return null;
      throw new AppError('unavailable', UNAVAILABLE_MESSAGE, { cause });
    }
  };
}
