import { setTimeout as delay } from 'node:timers/promises';
import { hashKey, parseBearer, parseKey, type Signer } from '@waymark/auth';
import { AppError, includesApi, PLAN_FORBIDDEN_MESSAGE, UNAUTHENTICATED_MESSAGE } from '@waymark/contract';
import { rateLimitKey } from '@waymark/service-kit';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { RateLimits } from '../limits/rate-limits.ts';
import type { KeyOwner, KeyResolver } from './key-resolver.ts';
import { createUnprovenKeys } from './unproven-keys.ts';

export interface Authenticator {
  /**
   * Checks that a request has a valid key of a plan that includes the API, and counts the request. Returns the signed
   * identity to forward in place of the key.
   * @throws {AppError} `unauthenticated`, `forbidden`, `rate_limited`, or `unavailable` if keys cannot be looked up.
   */
  authenticate(request: FastifyRequest, reply: FastifyReply): Promise<string>;
  /**
   * Counts further requests for the key of an authenticated request.
   * @throws {AppError} `rate_limited` if fewer are left. Then none is counted, and the first request is refunded.
   */
  countMore(request: FastifyRequest, reply: FastifyReply, requests: number): Promise<void>;
}

/**
 * The shortest time of a 401, so that its timing does not reveal whether the key was looked up. It is longer than a
 * usual lookup.
 */
const REFUSAL_MIN_MS = 25;

/** Creates the authenticator of all requests that need a key. */
export function createAuthenticator(keys: KeyResolver, limits: RateLimits, signer: Signer): Authenticator {
  const unprovenKeys = createUnprovenKeys(keys, limits);

  /**
   * Returns the hash of the key and its owner. Returns null and counts a failure if the key is missing, malformed,
   * unknown or revoked; the caller cannot tell which.
   */
  async function find(request: FastifyRequest, reply: FastifyReply): Promise<{ hash: Buffer; owner: KeyOwner } | null> {
    const hash = keyHashOf(request);
    if (hash === null) return countFailure(request, reply);
    // A key that was valid at its last lookup skips the limit of its address: other clients there must not block it.
    if (keys.wasValid(hash)) {
      const owner = await keys.resolve(hash, request.id);
      return owner === null ? countFailure(request, reply) : { hash, owner };
    }
    const answer = await unprovenKeys.resolve(hash, rateLimitKey(request.ip), request.id);
    if ('refused' in answer) throw limits.refusalOfAddress(reply, answer.refused);
    return answer.owner === null ? null : { hash, owner: answer.owner };
  }

  async function countFailure(request: FastifyRequest, reply: FastifyReply): Promise<null> {
    const taken = await limits.countFailure(rateLimitKey(request.ip));
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

/** Returns the hash of a request's key, or null if the key is missing or malformed. */
function keyHashOf(request: FastifyRequest): Buffer | null {
  const key = parseKey(parseBearer(request.headers.authorization) ?? '')?.key;
  return key === undefined ? null : hashKey(key);
}

/** Starts a timer of `timeMs` and returns a function that waits for the rest of it. */
function delayOf(timeMs: number): () => Promise<void> {
  const endsAtMs = performance.now() + timeMs;
  return async () => {
    await delay(Math.max(0, endsAtMs - performance.now()));
  };
}
