import { isTracing, type Visit } from '@waymark/proto';
import { queryOf } from '@waymark/service-kit';
import type { FastifyInstance, FastifyRequest } from 'fastify';
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
 * look up, a page) is passed on as any request, as is every visit that is traced, so that each has its spans.
 */
export function visitsRoutes(app: FastifyInstance, { batches, client, replicas }: VisitsRoutesDeps): void {
  app.route({
    method: ['GET', 'HEAD'],
    url: '/:slug',
    handler: async (request: FastifyRequest<{ Params: { slug: string } }>, reply) => {
      const headers = isTracing() ? null : await batches.lead(visitOf(request));
      if (headers !== null) return reply.code(302).headers(headers).send();
      // A visit that was sent is not sent again: it may have been counted.
      return passOn(client, replicas, request, reply, false);
    },
  });
}

function visitOf({ id, method, params, headers, raw }: FastifyRequest<{ Params: { slug: string } }>): Visit {
  return {
    requestId: id,
    method,
    slug: params.slug,
    query: queryOf(raw.url ?? ''),
    headers: {
      'user-agent': headers['user-agent'],
      referer: headers.referer,
      purpose: headers.purpose,
      'sec-purpose': headers['sec-purpose'],
    },
  };
}
