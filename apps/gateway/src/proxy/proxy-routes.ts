import httpProxy from '@fastify/http-proxy';
import { AppError } from '@waymark/contract';
import { failureOf, sendFailure } from '@waymark/service-kit';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { ProxyRoute, Upstream } from '../routes.ts';
import { passOn } from './pass-on.ts';
import type { Replicas } from './replicas.ts';
import { readBody } from './request-body.ts';
import type { UpstreamClient } from './upstream-client.ts';

export interface ProxyDeps {
  upstreams: Record<Upstream, Replicas>;
  client: UpstreamClient;
}

/**
 * Adds the routes of one row of the table. The instance's own hooks have authenticated the request where it needs it.
 * The plugin makes the routes and refuses paths that climb out of them; the exchange itself is ours (`passOn`), since
 * the plugin's own repeats what must not be repeated, shows addresses in its errors and costs twice the CPU time.
 */
export function proxyRoutes(app: FastifyInstance, route: ProxyRoute, { upstreams, client }: ProxyDeps): void {
  const replicas = upstreams[route.upstream];
  app.register(async (scope) => {
    scope.setErrorHandler((error, request, reply) => {
      const failure = isStrangePath(error) ? notFound(error) : failureOf(error, route.bodyLimitBytes);
      return sendFailure(failure, request, reply);
    });
    scope.addHook('onRequest', (request, _reply, done) => {
      // The body of a DELETE means nothing; of a type that cannot be read it would be refused all the same.
      if (request.method === 'DELETE') delete request.headers['content-type'];
      done();
    });
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', async (request: FastifyRequest, payload: FastifyRequest['raw']) =>
      readBody(payload, route.bodyLimitBytes, request.headers['content-length']),
    );
    scope.register(httpProxy, {
      // The plugin wants one to check paths against.
      upstream: replicas.next(),
      routes: route.paths.map((path) => path.slice(scope.prefix.length)),
      rewritePrefix: scope.prefix,
      httpMethods: [...route.methods],
      proxyPayloads: false,
      handler: (request, reply) => passOn(client, replicas, request, reply, route.retryReads),
    });
  });
}

/** The plugin refuses paths that could climb out of their prefix with a bare 400. */
function isStrangePath(error: unknown): boolean {
  const { statusCode, code } = error as { statusCode?: unknown; code?: unknown };
  return statusCode === 400 && code === undefined;
}

function notFound(cause: unknown): AppError {
  return new AppError('not_found', 'Not found: nothing answers this method at this path.', { cause });
}
