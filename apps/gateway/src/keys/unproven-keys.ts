import type { RateLimits } from '../limits/rate-limits.ts';
import type { AttemptResult, AuthenticationAttempts } from './authentication-attempts.ts';
import type { Credential } from './credential.ts';
import type { KeyOwner, KeyResolver } from './key-resolver.ts';

/**
 * Finds the owner of a key or session that was not valid at its last lookup or was never looked up. Each request whose
 * key has no owner counts as a failure of its address. Rejects as {@link AuthenticationAttempts.run} does.
 */
export type UnprovenLookup = (
  credential: Credential,
  address: string,
  requestId: string,
) => Promise<AttemptResult<KeyOwner>>;

/** Creates lookups that are authentication attempts. Concurrent requests with one key and address share an attempt. */
export function createUnprovenLookup(
  keys: KeyResolver,
  attempts: AuthenticationAttempts,
  limits: RateLimits,
): UnprovenLookup {
  const results = new Map<string, Promise<AttemptResult<KeyOwner>>>();
  return async (credential, address, requestId) => {
    const id = `${address} ${credential.hash}`;
    const running = results.get(id);
    if (running === undefined) {
      const result = attempts.run(address, () => keys.resolve(credential, requestId)).finally(() => results.delete(id));
      results.set(id, result);
      return result;
    }
    const result = await running;
    if ('refused' in result || result.found !== null) return result;
    const failure = await limits.countFailure(address);
    return failure.counted ? result : { refused: failure };
  };
}
