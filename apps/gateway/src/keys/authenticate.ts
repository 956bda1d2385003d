import { setTimeout as delay } from 'node:timers/promises';
import type { Signer } from '@waymark/auth';
import { AppError, includesApi, PLAN_FORBIDDEN_MESSAGE, UNAUTHENTICATED_MESSAGE } from '@waymark/contract';
import { rateLimitKey } from '@waymark/service-kit';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { RateLimits } from '../limits/rate-limits.ts';
import type { AuthenticationAttempts } from './authentication-attempts.ts';
import { type Credential, findCredential } from './credential.ts';
import type { KeyOwner, KeyResolver } from './key-resolver.ts';
import { createUnprovenLookup } from './unproven-keys.ts';

/**
 * Which sessions a route accepts: none, those of accounts whose plan includes the API, or those of all accounts. A key
 * always needs such a plan.
 */
export type AcceptedSessions = 'none' | 'with-api' | 'all';

/** The caller of an authenticated request. */
export interface Caller {
  accountId: string;
  keyHash: string;
  /** True for the dashboard, false for a program with a key. */
  isSession: boolean;
  /** The signed identity, which is forwarded in place of the key. */
  identity: string;
}

/**
 * Checks that a request has a valid key, or a session that the route accepts, and counts the request unless the route
 * accepts no session: those of MCP count their calls. Sets `hasValidKey` before it counts.
 * @throws {AppError} `unauthenticated`, `forbidden`, `rate_limited`, or `unavailable` if keys cannot be looked up.
 */
export type Authenticate = (
  request: FastifyRequest,
  reply: FastifyReply,
  sessions: AcceptedSessions,
) => Promise<Caller>;

/**
 * The shortest time of a 401, so that its timing does not reveal whether the key was looked up. It is longer than a
 * usual lookup.
 */
const REFUSAL_MIN_MS = 25;

/** Creates the authentication of all requests that need a key. */
export function createAuthenticator(
  keys: KeyResolver,
  limits: RateLimits,
  attempts: AuthenticationAttempts,
  signer: Signer,
): Authenticate {
  const lookUpUnproven = createUnprovenLookup(keys, attempts, limits);

  /**
   * Returns the owner of a credential. Returns null and counts a failure if the credential is missing, malformed, unknown
   * or revoked, or a session that the route does not accept; the caller cannot tell which.
   */
  async function findOwner(
    credential: Credential | null,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<KeyOwner | null> {
    if (credential === null) return countFailure(request, reply);
    // A key that was valid at its last lookup skips the limit of its address: other clients there must not block it.
    if (keys.wasValid(credential)) return (await keys.resolve(credential, request.id)) ?? countFailure(request, reply);
    const result = await lookUpUnproven(credential, rateLimitKey(request.ip), request.id);
    if ('refused' in result) throw limits.refusalOfAddress(reply, result.refused);
    return result.found;
  }

  async function countFailure(request: FastifyRequest, reply: FastifyReply): Promise<null> {
    const result = await limits.countFailure(rateLimitKey(request.ip));
    if (!result.counted) throw limits.refusalOfAddress(reply, result);
    return null;
  }

  return async (request, reply, sessions) => {
    const sent = findCredential(request);
    const credential = sent?.kind === 'session' && sessions === 'none' ? null : sent;
    const owner = (credential && keys.peek(credential)) ?? (await findOwner(credential, request, reply));
    if (credential === null || owner === null) {
      // A timer may fire early.
      while (reply.elapsedTime < REFUSAL_MIN_MS) await delay(Math.ceil(REFUSAL_MIN_MS - reply.elapsedTime));
      throw new AppError('unauthenticated', UNAUTHENTICATED_MESSAGE);
    }
    request.hasValidKey = true;
    if (sessions !== 'none') await limits.countRequest(reply, credential.hash);
    const needsApi = credential.kind === 'key' || sessions !== 'all';
    if (needsApi && !includesApi(owner.plan)) throw new AppError('forbidden', PLAN_FORBIDDEN_MESSAGE);
    const identity = await signer.mint({ kind: 'account', ...owner });
    return { accountId: owner.accountId, keyHash: credential.hash, isSession: credential.kind === 'session', identity };
  };
}
