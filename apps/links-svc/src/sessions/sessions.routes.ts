import { requireSession } from '@waymark/auth';
import type { FastifyInstance } from 'fastify';
import type { SessionsService } from './sessions.service.ts';

/** Adds `DELETE /api/v1/sessions/current` (docs/api.md, Sessions). The gateway serves `POST /api/v1/sessions`. */
export function sessionRoutes(app: FastifyInstance, service: SessionsService): void {
  app.delete('/api/v1/sessions/current', async (request, reply) => {
    const { accountId, sessionId } = requireSession(request.identity);
    await service.end(accountId, sessionId);
    return reply.code(204).send();
  });
}
