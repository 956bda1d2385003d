import { requireAccount } from '@waymark/auth';
import { AnalyticsQuery, withAnalyticsFields } from '@waymark/contract';
import type { FastifyInstance } from 'fastify';
import type { AnalyticsService } from './analytics.service.ts';

/** Adds `GET /api/v1/analytics`. The instance must have the identity plugin and `checkQueryParameters`. */
export function analyticsRoutes(app: FastifyInstance, analytics: AnalyticsService): void {
  app.get<{ Querystring: AnalyticsQuery }>(
    '/api/v1/analytics',
    { schema: { querystring: AnalyticsQuery } },
    async (request) => {
      const identity = requireAccount(request.identity);
      const caller = { identity, token: request.identityToken, requestId: request.id };
      return withAnalyticsFields(await analytics.get(request.query, caller, request.signal));
    },
  );
}
