import { isReservedSlug } from '@waymark/contract';
import { answerVisitsFirst } from '@waymark/service-kit';
import type { FastifyInstance } from 'fastify';
import { passOn } from '../proxy/pass-on.ts';
import type { Replicas } from '../proxy/replicas.ts';
import type { UpstreamClient } from '../proxy/upstream-client.ts';
import type { VisitBatches } from './visit-batches.ts';

export interface VisitsRoutesDeps {
  batches: VisitBatches;
  client: UpstreamClient;
  /** The replicas of links-svc. */
  replicas: Replicas;
}

/**
 * `GET` and `HEAD` of a short URL. What links-svc can answer at once goes with others; what it cannot (a link that it must
 * look up, a page) is passed on as any request.
 */
export function visitsRoutes(app: FastifyInstance, { batches, client, replicas }: VisitsRoutesDeps): void {
  answerVisitsFirst(app, (visit) => (isReservedSlug(visit.slug) ? null : batches.lead(visit)));
  app.route({
    method: ['GET', 'HEAD'],
    url: '/:slug',
    // It is not sent again: it may have been counted.
    handler: (request, reply) => passOn(client, replicas, request, reply, false),
  });
}
