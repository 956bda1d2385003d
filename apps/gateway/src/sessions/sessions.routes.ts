import { AppError, CreateSessionInput, SIGN_IN_REFUSED_MESSAGE, validator } from '@waymark/contract';
import { checkQueryParameters, rateLimitKey } from '@waymark/service-kit';
import type { FastifyInstance } from 'fastify';
import type { AccountsClient } from '../keys/accounts-client.ts';
import type { AuthenticationAttempts } from '../keys/authentication-attempts.ts';
import type { RateLimits } from '../limits/rate-limits.ts';

export interface SessionRoutesDeps {
  exchange: AccountsClient['createSession'];
  attempts: AuthenticationAttempts;
  limits: Pick<RateLimits, 'refusalOfAddress'>;
}

const input = validator(CreateSessionInput);

/**
 * Adds `POST /v1/sessions` to the instance with the prefix `/api` (docs/api.md, Sessions). It needs no key. A token that
 * does not work counts as a failed authentication of the address.
 */
export function sessionRoutes(app: FastifyInstance, { exchange, attempts, limits }: SessionRoutesDeps): void {
  checkQueryParameters(app);
  app.post('/v1/sessions', async (request, reply) => {
    const { token } = input(request.body);
    const result = await attempts.run(rateLimitKey(request.ip), () => exchange(token, request.id));
    if ('refused' in result) throw limits.refusalOfAddress(reply, result.refused);
    if (result.found === null) throw new AppError('unauthenticated', SIGN_IN_REFUSED_MESSAGE);
    return reply.code(201).header('cache-control', 'no-store').send(result.found);
  });
}
