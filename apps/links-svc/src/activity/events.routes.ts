import { requireAccount } from '@waymark/auth';
import { ListEventsQuery } from '@waymark/contract';
import type { FastifyInstance } from 'fastify';
import type { EventsService } from './events.service.ts';

/** Adds the REST endpoint of events (docs/api.md, Events). */
export function eventRoutes(app: FastifyInstance, events: EventsService): void {
  app.get<{ Querystring: ListEventsQuery }>(
    '/api/v1/events',
    { schema: { querystring: ListEventsQuery } },
    async (request) => events.list(requireAccount(request.identity), request.query),
  );
}
