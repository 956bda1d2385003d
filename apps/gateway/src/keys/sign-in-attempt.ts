import { AppError } from '@waymark/contract';
import { rateLimitKey } from '@waymark/service-kit';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { RateLimits } from '../limits/rate-limits.ts';
import type { AuthenticationAttempts } from './authentication-attempts.ts';

/**
 * Runs an attempt to sign in, of the request's address. It resolves to null if it failed, which counts as a failed
 * authentication.
 * @throws {AppError} `unauthenticated` with the message if it failed, `rate_limited`.
 */
export type SignInAttempt = <Found>(
  request: FastifyRequest,
  reply: FastifyReply,
  refusedMessage: string,
  find: () => Promise<Found | null>,
) => Promise<Found>;

export function createSignInAttempt(
  attempts: AuthenticationAttempts,
  limits: Pick<RateLimits, 'refusalOfAddress'>,
): SignInAttempt {
  return async (request, reply, refusedMessage, find) => {
    const result = await attempts.run(rateLimitKey(request.ip), find);
    if ('refused' in result) throw limits.refusalOfAddress(reply, result.refused);
    if (result.found === null) throw new AppError('unauthenticated', refusedMessage);
    return result.found;
  };
}
