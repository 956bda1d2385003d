import { type Identity, requireSession } from '@waymark/auth';
import { AddPasskeyInput, AppError, checkEmptyBody, PASSKEY_FORBIDDEN_MESSAGE, validator } from '@waymark/contract';
import type { FastifyInstance } from 'fastify';
import { sessionActor } from '../events/actor.ts';
import type { PasskeysService } from './passkeys.service.ts';

const PASSKEYS = '/api/v1/me/passkeys';
const addInput = validator(AddPasskeyInput);

/** Adds the endpoints of passkeys (docs/api.md, Passkeys). The gateway serves those that sign in. */
export function passkeyRoutes(app: FastifyInstance, service: PasskeysService): void {
  app.get(PASSKEYS, async (request) => ({
    passkeys: await service.list(requireSession(request.identity).accountId),
  }));

  app.post(`${PASSKEYS}/options`, async (request, reply) => {
    const accountId = accountThatMayAdd(request.identity);
    checkEmptyBody(request.body);
    return reply.header('cache-control', 'no-store').send(await service.creationOptions(accountId));
  });

  app.post(PASSKEYS, async (request, reply) => {
    const accountId = accountThatMayAdd(request.identity);
    return reply.code(201).send(await service.add(accountId, addInput(request.body)));
  });

  app.delete<{ Params: { id: string } }>(`${PASSKEYS}/:id`, async (request, reply) => {
    const session = requireSession(request.identity);
    await service.remove(session.accountId, request.params.id, sessionActor(session));
    return reply.code(204).send();
  });
}

/** Returns the account of a session that may add passkeys: not that of a person, whose groups a passkey would outlive. */
function accountThatMayAdd(identity: Identity): string {
  const { accountId, person } = requireSession(identity);
  if (person !== undefined) throw new AppError('forbidden', PASSKEY_FORBIDDEN_MESSAGE);
  return accountId;
}
