import { requireAccount, requireSession } from '@waymark/auth';
import {
  AppError,
  CreateRestrictedKeyInput,
  NO_SUCH_KEY_MESSAGE,
  RotateKeyInput,
  SCOPES,
  type Scope,
  validator,
} from '@waymark/contract';
import type { FastifyInstance } from 'fastify';
import { sessionActor } from '../events/actor.ts';
import type { AccountsService } from './accounts.service.ts';
import { meOf } from './me.ts';

const KEYS = '/api/v1/me/keys';

const rotateInput = validator(RotateKeyInput);
const restrictedInput = validator(CreateRestrictedKeyInput);

/** Adds `/api/v1/me` (docs/api.md, Authentication) and the endpoints of keys (docs/api.md, Keys). */
export function accountRoutes(app: FastifyInstance, service: AccountsService): void {
  app.get('/api/v1/me', async (request) => meOf(requireAccount(request.identity)));

  app.get(KEYS, async (request) => ({ keys: await service.listKeys(requireSession(request.identity).accountId) }));

  app.post<{ Params: { scope: string } }>(`${KEYS}/:scope/rotate`, async (request, reply) => {
    const session = requireSession(request.identity);
    const scope = getScope(request.params.scope);
    const { grace_seconds: graceSeconds = 0 } = rotateInput(request.body ?? {});
    const rotation = { scope, graceSeconds, actor: sessionActor(session) };
    const key = await service.rotateKey({ accountId: session.accountId }, rotation);
    return reply.header('cache-control', 'no-store').send({ key });
  });

  app.get(`${KEYS}/restricted`, async (request) => {
    const { accountId } = requireSession(request.identity);
    return { keys: await service.listRestrictedKeys({ accountId }) };
  });

  app.post(`${KEYS}/restricted`, async (request, reply) => {
    const session = requireSession(request.identity);
    const input = restrictedInput(request.body);
    const key = await service.createRestrictedKey({ accountId: session.accountId }, input, sessionActor(session));
    return reply.code(201).header('cache-control', 'no-store').send(key);
  });

  app.delete<{ Params: { id: string } }>(`${KEYS}/restricted/:id`, async (request, reply) => {
    const session = requireSession(request.identity);
    await service.deleteRestrictedKey({ accountId: session.accountId }, request.params.id, sessionActor(session));
    return reply.code(204).send();
  });

  app.delete<{ Params: { scope: string } }>(`${KEYS}/:scope`, async (request, reply) => {
    const session = requireSession(request.identity);
    await service.revokeKey({ accountId: session.accountId }, getScope(request.params.scope), sessionActor(session));
    return reply.code(204).send();
  });
}

/** Returns the scope in a path. Throws `not_found` if there is no such scope. */
function getScope(text: string): Scope {
  const scope = SCOPES.find((one) => one === text);
  if (scope === undefined) throw new AppError('not_found', NO_SUCH_KEY_MESSAGE);
  return scope;
}
