import httpProxy from '@fastify/http-proxy';
import { AppError } from '@waymark/contract';
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

/**
 * Adds the routes of one row of the route table. Hooks of `app` must authenticate requests if the row needs it. The
 * plugin adds the routes and refuses paths that climb out of their prefix. `forwardRequest` replaces the plugin's handler,
 * which retries requests that must not be repeated, exposes addresses in its errors and uses more CPU.
 */
export function proxyRoutes(app: FastifyInstance, route: ProxyRoute, { upstreams, client }: ProxyDeps): void {
  const replicas = upstreams[route.upstream];
  app.register(async (scope) => {
    scope.setErrorHandler((error, request, reply) => {
      const failure = isStrangePath(error) ? notFound(error) : failureOf(error, route.bodyLimitBytes);
      return sendFailure(failure, request, reply);
    });
    scope.addHook('onRequest', (request, _reply, done) => {
      // A body of a DELETE has no meaning, so its content type must not cause a refusal.
      if (request.method === 'DELETE') delete request.headers['content-type'];
      done();
    });
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', async (request: FastifyRequest, payload: FastifyRequest['raw']) =>
      readBody(payload, route.bodyLimitBytes, request.headers['content-length']),
    );
    scope.register(httpProxy, {
      // Used only to check paths: `forwardRequest` picks the replica of each request.
      upstream: replicas.next(),
      routes: route.paths.map((path) => path.slice(scope.prefix.length)),
      rewritePrefix: scope.prefix,
      httpMethods: [...route.methods],
      proxyPayloads: false,
      handler: (request, reply) => forwardRequest(client, replicas, request, reply, route.retryReads),
    });
  });
}

/** Returns true for the plugin's refusal of a path that could climb out of its prefix: a 400 without a code. */
function isStrangePath(error: unknown): boolean {
  const { statusCode, code } = error as { statusCode?: unknown; code?: unknown };
  return statusCode === 400 && code === undefined;
}

function notFound(cause: unknown): AppError {
  return new AppError('not_found', 'Not found: nothing answers this method at this path.', { cause });
}
