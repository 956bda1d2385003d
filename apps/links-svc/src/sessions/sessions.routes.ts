import { requireSession } from '@waymark/auth';
import { type Session, SwitchSessionInput, validator } from '@waymark/contract';
import type { FastifyInstance } from 'fastify';
import { sessionActor } from '../events/actor.ts';
import type { SessionsService } from './sessions.service.ts';

const switchInput = validator(SwitchSessionInput);

/** Adds what a session does with itself (docs/api.md, Sessions). The gateway serves the paths that sign in. */
export function sessionRoutes(app: FastifyInstance, service: SessionsService): void {
  app.delete('/api/v1/sessions/current', async (request, reply) => {
    const session = requireSession(request.identity);
    await service.end(session.accountId, session.sessionId, sessionActor(session));
    return reply.code(204).send();
  });

  app.get('/api/v1/me/accounts', async (request) => service.listAccounts(requireSession(request.identity).sessionId));

  app.post('/api/v1/sessions/switch', async (request, reply) => {
    const { sessionId } = requireSession(request.identity);
    const { token, expiresAt } = await service.switchAccount(sessionId, switchInput(request.body).username);
    const session: Session = { token, expires_at: expiresAt.toISOString() };
    return reply.code(201).header('cache-control', 'no-store').send(session);
  });
}
