import {
  CreateSessionInput,
  checkEmptyBody,
  PasskeySignInInput,
  type Session,
  SIGN_IN_REFUSED_MESSAGE,
  validator,
} from '@waymark/contract';
import { checkQueryParameters } from '@waymark/service-kit';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { AccountsClient } from '../keys/accounts-client.ts';
import type { SignInAttempt } from '../keys/sign-in-attempt.ts';

export interface SessionRoutesDeps {
  accounts: Pick<AccountsClient, 'createSession' | 'createSignInOptions' | 'createPasskeySession'>;
  attempt: SignInAttempt;
}

const tokenInput = validator(CreateSessionInput);
const passkeyInput = validator(PasskeySignInInput);

/**
 * Adds the paths that sign in to the instance with the prefix `/api` (docs/api.md, Sessions). They need no key. A token or
 * a passkey that does not work counts as a failed authentication of the address.
 */
export function sessionRoutes(app: FastifyInstance, { accounts, attempt }: SessionRoutesDeps): void {
  checkQueryParameters(app);

  async function signIn(request: FastifyRequest, reply: FastifyReply, exchange: () => Promise<Session | null>) {
    const session = await attempt(request, reply, SIGN_IN_REFUSED_MESSAGE, exchange);
    return reply.code(201).header('cache-control', 'no-store').send(session);
  }

  app.post('/v1/sessions', async (request, reply) => {
    const input = tokenInput(request.body);
    return signIn(request, reply, () => accounts.createSession(input, request.id));
  });

  // This cannot fail, but an address that has no failures left gets no challenge.
  app.post('/v1/sessions/passkey/options', async (request, reply) => {
    checkEmptyBody(request.body);
    const options = await attempt(request, reply, SIGN_IN_REFUSED_MESSAGE, () =>
      accounts.createSignInOptions(request.id),
    );
    return reply.header('cache-control', 'no-store').send(options);
  });

  app.post('/v1/sessions/passkey', async (request, reply) => {
    const { response } = passkeyInput(request.body);
    return signIn(request, reply, () => accounts.createPasskeySession(response, request.id));
  });
}
