import { requireAccount, requireSession } from '@waymark/auth';
import { AppError, checkEmptyBody, NO_SUCH_KEY_MESSAGE, SCOPES, type Scope } from '@waymark/contract';
import type { FastifyInstance } from 'fastify';
import { SESSION } from '../events/actor.ts';
import type { AccountsService } from './accounts.service.ts';
import { meOf } from './me.ts';

const KEYS = '/api/v1/me/keys';

/** Adds `/api/v1/me` (docs/api.md, Authentication) and the endpoints of keys (docs/api.md, Keys). */
export function accountRoutes(app: FastifyInstance, service: AccountsService): void {
  app.get('/api/v1/me', async (request) => meOf(requireAccount(request.identity)));

  app.get(KEYS, async (request) => ({ keys: await service.listKeys(requireSession(request.identity).accountId) }));

  app.post<{ Params: { scope: string } }>(`${KEYS}/:scope/rotate`, async (request, reply) => {
    const { accountId } = requireSession(request.identity);
    const scope = getScope(request.params.scope);
    checkEmptyBody(request.body);
    const key = await service.rotateKey({ accountId }, scope, SESSION);
    return reply.header('cache-control', 'no-store').send({ key });
  });

  app.delete<{ Params: { scope: string } }>(`${KEYS}/:scope`, async (request, reply) => {
    const { accountId } = requireSession(request.identity);
    await service.revokeKey({ accountId }, getScope(request.params.scope), SESSION);
    return reply.code(204).send();
  });
}

/** Returns the scope in a path. Throws `not_found` if there is no such scope. */
function getScope(text: string): Scope {
  const scope = SCOPES.find((one) => one === text);
  if (scope === undefined) throw new AppError('not_found', NO_SUCH_KEY_MESSAGE);
  return scope;
}
