import { requireAccount } from '@waymark/auth';
import type { FastifyInstance } from 'fastify';
import { meOf } from './me.ts';

/** Adds `GET /api/v1/me` (docs/api.md, Authentication). */
export function accountRoutes(app: FastifyInstance): void {
  app.get('/api/v1/me', async (request) => meOf(requireAccount(request.identity)));
}
