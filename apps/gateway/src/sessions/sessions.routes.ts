import {
  AppError,
  CreateSessionInput,
  checkEmptyBody,
  PasskeySignInInput,
  type Session,
  SIGN_IN_REFUSED_MESSAGE,
  validator,
} from '@waymark/contract';
import { checkQueryParameters, rateLimitKey } from '@waymark/service-kit';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { AccountsClient } from '../keys/accounts-client.ts';
import type { AuthenticationAttempts } from '../keys/authentication-attempts.ts';
import type { RateLimits } from '../limits/rate-limits.ts';

export interface SessionRoutesDeps {
  accounts: Pick<AccountsClient, 'createSession' | 'createSignInOptions' | 'createPasskeySession'>;
  attempts: AuthenticationAttempts;
  limits: Pick<RateLimits, 'refusalOfAddress'>;
}

const tokenInput = validator(CreateSessionInput);
const passkeyInput = validator(PasskeySignInInput);

/**
 * Adds the paths that sign in to the instance with the prefix `/api` (docs/api.md, Sessions). They need no key. A token or
 * a passkey that does not work counts as a failed authentication of the address.
 */
export function sessionRoutes(app: FastifyInstance, { accounts, attempts, limits }: SessionRoutesDeps): void {
  checkQueryParameters(app);

  /** Runs an attempt of the request's address. It resolves to null if it failed. */
  async function attempt<Found>(
    request: FastifyRequest,
    reply: FastifyReply,
    find: () => Promise<Found | null>,
  ): Promise<Found> {
    const result = await attempts.run(rateLimitKey(request.ip), find);
    if ('refused' in result) throw limits.refusalOfAddress(reply, result.refused);
    if (result.found === null) throw new AppError('unauthenticated', SIGN_IN_REFUSED_MESSAGE);
    return result.found;
  }

  async function signIn(request: FastifyRequest, reply: FastifyReply, exchange: () => Promise<Session | null>) {
    const session = await attempt(request, reply, exchange);
    return reply.code(201).header('cache-control', 'no-store').send(session);
  }

  app.post('/v1/sessions', async (request, reply) => {
    const { token } = tokenInput(request.body);
    return signIn(request, reply, () => accounts.createSession(token, request.id));
  });

  // This cannot fail, but an address that has no failures left gets no challenge.
  app.post('/v1/sessions/passkey/options', async (request, reply) => {
    checkEmptyBody(request.body);
    const options = await attempt(request, reply, () => accounts.createSignInOptions(request.id));
    return reply.header('cache-control', 'no-store').send(options);
  });

  app.post('/v1/sessions/passkey', async (request, reply) => {
    const { response } = passkeyInput(request.body);
    return signIn(request, reply, () => accounts.createPasskeySession(response, request.id));
  });
}
