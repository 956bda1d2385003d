import { setTimeout as delay } from 'node:timers/promises';
import { hashKey, parseBearer, parseKey, type Signer } from '@waymark/auth';
import { AppError, includesApi, PLAN_FORBIDDEN_MESSAGE, UNAUTHENTICATED_MESSAGE } from '@waymark/contract';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { RateLimits } from '../limits/rate-limits.ts';
import type { KeyOwner, KeyResolver } from './key-resolver.ts';

export interface Authenticator {
  /**
   * Lets a request pass that has a valid key of a plan that includes the API, and counts it; the answer is the signed
   * identity to pass on in the key's place.
   * @throws {AppError} `unauthenticated`, `forbidden`, `rate_limited`, or `unavailable` where keys cannot be looked up.
   */
  authenticate(request: FastifyRequest, reply: FastifyReply): Promise<string>;
}

/**
 * No refusal of a key is faster than this, so that its time does not tell whether the key was looked up. A lookup
 * takes a few milliseconds.
 */
const REFUSAL_MIN_MS = 25;

/** The authentication of every request that needs a key. */
export function createAuthenticator(keys: KeyResolver, limits: RateLimits, signer: Signer): Authenticator {
  /** The hash of the key and its owner, or null: missing, malformed, unknown and revoked are all the same from here. */
  async function find(request: FastifyRequest, reply: FastifyReply): Promise<{ hash: Buffer; owner: KeyOwner } | null> {
    const key = parseKey(parseBearer(request.headers.authorization) ?? '')?.key;
    const hash = key === undefined ? null : hashKey(key);
    // A key that was valid when last asked for is asked for again: others at its address must not lock it out.
    if (hash === null || !keys.wasValid(hash)) {
      const found = limits.findFailureRefusal(reply, request.ip);
      const refusal = found instanceof Promise ? await found : found;
      if (refusal !== null) throw refusal;
    }
    if (hash === null) return null;
    const owner = await keys.resolve(hash, request.id);
    return owner === null ? null : { hash, owner };
  }

  return {
    async authenticate(request, reply) {
      const earliestRefusal = delayOf(REFUSAL_MIN_MS);
      const found = await find(request, reply);
      if (found === null) {
        await Promise.all([limits.countFailure(request.ip), earliestRefusal()]);
        throw new AppError('unauthenticated', UNAUTHENTICATED_MESSAGE);
      }
      const { hash, owner } = found;
      const counted = limits.countRequest(reply, hash);
      if (counted !== undefined) await counted;
      if (!includesApi(owner.plan)) throw new AppError('forbidden', PLAN_FORBIDDEN_MESSAGE);
      return signer.mint({ kind: 'account', ...owner });
    },
  };
}

/** A function that waits for what is left of the time since this call. */
function delayOf(timeMs: number): () => Promise<void> {
  const endsAtMs = performance.now() + timeMs;
  return async () => {
    await delay(Math.max(0, endsAtMs - performance.now()));
  };
}
