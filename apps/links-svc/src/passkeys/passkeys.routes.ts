import { requireSession } from '@waymark/auth';
import { AddPasskeyInput, checkEmptyBody, validator } from '@waymark/contract';
import type { FastifyInstance } from 'fastify';
import type { PasskeysService } from './passkeys.service.ts';

const PASSKEYS = '/api/v1/me/passkeys';
const addInput = validator(AddPasskeyInput);

/** Adds the endpoints of passkeys (docs/api.md, Passkeys). The gateway serves those that sign in. */
export function passkeyRoutes(app: FastifyInstance, service: PasskeysService): void {
  app.get(PASSKEYS, async (request) => ({
    passkeys: await service.list(requireSession(request.identity).accountId),
  }));

  app.post(`${PASSKEYS}/options`, async (request, reply) => {
    const { accountId } = requireSession(request.identity);
    checkEmptyBody(request.body);
    return reply.header('cache-control', 'no-store').send(await service.creationOptions(accountId));
  });

  app.post(PASSKEYS, async (request, reply) => {
    const { accountId } = requireSession(request.identity);
    return reply.code(201).send(await service.add(accountId, addInput(request.body)));
  });

  app.delete<{ Params: { id: string } }>(`${PASSKEYS}/:id`, async (request, reply) => {
    const { accountId } = requireSession(request.identity);
    await service.remove(accountId, request.params.id);
    return reply.code(204).send();
  });
}
