import { setTimeout as delay } from 'node:timers/promises';
import { hashKey, parseBearer, parseKey, type Signer } from '@waymark/auth';
import { AppError, includesApi, PLAN_FORBIDDEN_MESSAGE, UNAUTHENTICATED_MESSAGE } from '@waymark/contract';
import { limitedAddress } from '@waymark/service-kit';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { RateLimits } from '../limits/rate-limits.ts';
import type { KeyOwner, KeyResolver } from './key-resolver.ts';
import { createUnprovenKeys } from './unproven-keys.ts';

export interface Authenticator {
  /**
   * Lets a request pass that has a valid key of a plan that includes the API, and counts it; the answer is the signed
   * identity to pass on in the key's place.
   * @throws {AppError} `unauthenticated`, `forbidden`, `rate_limited`, or `unavailable` where keys cannot be looked up.
   */
  authenticate(request: FastifyRequest, reply: FastifyReply): Promise<string>;
  /**
   * Counts so many requests more of the key of a request that has passed.
   * @throws {AppError} `rate_limited` when fewer are left: then none is counted, not even the first.
   */
  countMore(request: FastifyRequest, reply: FastifyReply, requests: number): Promise<void>;
}

/**
 * No refusal of a key is faster than this, so that its time does not tell whether the key was looked up. A lookup
 * takes a few milliseconds.
 */
const REFUSAL_MIN_MS = 25;

/** The authentication of every request that needs a key. */
export function createAuthenticator(keys: KeyResolver, limits: RateLimits, signer: Signer): Authenticator {
  const unprovenKeys = createUnprovenKeys(keys, limits);

  /**
   * The hash of the key and its owner, or null: missing, malformed, unknown and revoked are all the same from here, and
   * counted.
   */
  async function find(request: FastifyRequest, reply: FastifyReply): Promise<{ hash: Buffer; owner: KeyOwner } | null> {
    const hash = keyHashOf(request);
    if (hash === null) return countFailure(request, reply);
    // A key that was valid when last asked for is asked for again: others at its address must not lock it out.
    if (keys.wasValid(hash)) {
      const owner = await keys.resolve(hash, request.id);
      return owner === null ? countFailure(request, reply) : { hash, owner };
    }
    const answer = await unprovenKeys.resolve(hash, limitedAddress(request.ip), request.id);
    if ('refused' in answer) throw limits.refusalOfAddress(reply, answer.refused);
    return answer.owner === null ? null : { hash, owner: answer.owner };
  }

  async function countFailure(request: FastifyRequest, reply: FastifyReply): Promise<null> {
    const taken = await limits.countFailure(limitedAddress(request.ip));
    if (!taken.counted) throw limits.refusalOfAddress(reply, taken);
    return null;
  }

  return {
    async authenticate(request, reply) {
      const earliestRefusal = delayOf(REFUSAL_MIN_MS);
      const found = await find(request, reply);
      if (found === null) {
        await earliestRefusal();
        throw new AppError('unauthenticated', UNAUTHENTICATED_MESSAGE);
      }
      const { hash, owner } = found;
      const counted = limits.countRequest(reply, hash);
      if (counted !== undefined) await counted;
      if (!includesApi(owner.plan)) throw new AppError('forbidden', PLAN_FORBIDDEN_MESSAGE);
      return signer.mint({ kind: 'account', ...owner });
    },
    countMore: (request, reply, requests) => limits.countMoreRequests(reply, keyHashOf(request)!, requests),
  };
}

/** The hash of a request's key; null where it has none, or none that could be one. */
function keyHashOf(request: FastifyRequest): Buffer | null {
  const key = parseKey(parseBearer(request.headers.authorization) ?? '')?.key;
  return key === undefined ? null : hashKey(key);
}

/** A function that waits for what is left of the time since this call. */
function delayOf(timeMs: number): () => Promise<void> {
  const endsAtMs = performance.now() + timeMs;
  return async () => {
    await delay(Math.max(0, endsAtMs - performance.now()));
  };
}
