import { failureOf, sendFailure } from '@waymark/service-kit';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { ProxyRoute, Upstream } from '../routes.ts';
import { forwardRequest } from './forward-request.ts';
import type { Replicas } from './replicas.ts';
import { readBody } from './request-body.ts';
import type { UpstreamClient } from './upstream-client.ts';

export interface ProxyDeps {
  upstreams: Record<Upstream, Replicas>;
  client: UpstreamClient;
}

/** Adds the routes of one row of the route table. Hooks of `app` must authenticate requests if the row needs it. */
export function proxyRoutes(app: FastifyInstance, route: ProxyRoute, { upstreams, client }: ProxyDeps): void {
  const replicas = upstreams[route.upstream];
  app.register(async (scope) => {
    scope.setErrorHandler((error, request, reply) =>
      sendFailure(failureOf(error, route.bodyLimitBytes), request, reply),
    );
    scope.addHook('onRequest', (request, _reply, done) => {
      // A body of a DELETE has no meaning, so its content type must not cause a refusal.
      if (request.method === 'DELETE') delete request.headers['content-type'];
      done();
    });
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', async (request: FastifyRequest, payload: FastifyRequest['raw']) =>
      readBody(payload, route.bodyLimitBytes, request.headers['content-length']),
    );
    for (const path of route.paths) {
      scope.route({
        method: [...route.methods],
        url: path.slice(scope.prefix.length),
        handler: (request, reply) => {
          if (leavesItsPath(request.raw.url!)) return reply.callNotFound();
          return forwardRequest(client, replicas, request, reply, route);
        },
      });
    }
  });
}

/** Returns true if a path has a segment `..`, also an encoded one, or an invalid encoding. */
function leavesItsPath(url: string): boolean {
  try {
    return decodeURIComponent(url.split('?', 1)[0]!).split(/[/\\]/).includes('..');
  } catch {
    return true;
  }
}
