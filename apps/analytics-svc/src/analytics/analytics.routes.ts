import { requireAccount } from '@waymark/auth';
import { AnalyticsQuery, queryValidator } from '@waymark/contract';
import type { FastifyInstance } from 'fastify';
import type { AnalyticsService } from './analytics.service.ts';

const readQuery = queryValidator(AnalyticsQuery);

/** `GET /api/v1/analytics`. The instance must have the identity plugin. */
export function analyticsRoutes(app: FastifyInstance, analytics: AnalyticsService): void {
  app.get('/api/v1/analytics', (request) => {
    const identity = requireAccount(request.identity);
    const asker = { identity, token: request.identityToken, requestId: request.id };
    return analytics.get(readQuery(request.query), asker, request.signal);
  });
}
