import httpProxy, { type FastifyHttpProxyOptions } from '@fastify/http-proxy';
import { AppError, UNAVAILABLE_MESSAGE } from '@waymark/contract';
import { failureOf, sendFailure } from '@waymark/service-kit';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { ProxyRoute, Upstream } from '../routes.ts';
import { clientResponseHeaders, upstreamRequestHeaders } from './headers.ts';
import { readBody } from './request-body.ts';
import type { UpstreamClient } from './upstream-client.ts';
import { isBrokenConnection, upstreamFailure } from './upstream-errors.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** What the request is passed on with, in place of its key; undefined on open routes. */
    upstreamIdentity: string | undefined;
  }
}

export interface ProxyDeps {
  /** Origins of the services. */
  upstreams: Record<Upstream, string>;
  client: UpstreamClient;
}

/** A request is answered within 5 seconds of its arrival; this leaves time to say that it was not. */
const ANSWER_WITHIN_MS = 4600;
const RETRY_DELAY_MS = 20;
/** Beyond this a second try would not be over in time. */
const RETRY_UNTIL_MS = 300;

/** Adds the routes of one row of the table. The instance's own hooks have authenticated the request where it needs it. */
export function proxyRoutes(app: FastifyInstance, route: ProxyRoute, { upstreams, client }: ProxyDeps): void {
  app.register(async (scope) => {
    scope.setErrorHandler((error, request, reply) => {
      const failure = isStrangePath(error) ? notFound(error) : failureOf(error, route.bodyLimitBytes);
      if (!request.raw.complete) reply.header('connection', 'close');
      return sendFailure(failure, request, reply);
    });
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', async (request: FastifyRequest, payload: FastifyRequest['raw']) =>
      readBody(payload, route.bodyLimitBytes, request.headers['content-length']),
    );
    scope.register(httpProxy, {
      upstream: upstreams[route.upstream],
      routes: route.paths.map((path) => path.slice(scope.prefix.length)),
      rewritePrefix: scope.prefix,
      httpMethods: [...route.methods],
      proxyPayloads: false,
      internalRewriteLocationHeader: false,
      // Its types are those of another major version of undici; the one method that it calls is the same.
      undici: client as object as NonNullable<FastifyHttpProxyOptions['undici']>,
      disableRequestLogging: true,
      disableCache: true,
      handler: (request, reply, path, options) => {
        const body = request.body as Buffer | undefined;
        return reply.from(path, {
          ...options,
          ...(body === undefined
            ? {}
            : { body, contentType: request.headers['content-type'] ?? 'application/octet-stream' }),
          timeout: Math.max(1, ANSWER_WITHIN_MS - reply.elapsedTime),
          retriesCount: 1,
          retryDelay: ({ err, attempt }) =>
            route.retryReads &&
            (request.method === 'GET' || request.method === 'HEAD') &&
            attempt === 0 &&
            isBrokenConnection(err) &&
            reply.elapsedTime < RETRY_UNTIL_MS
              ? RETRY_DELAY_MS
              : null,
        });
      },
      replyOptions: {
        rewriteRequestHeaders: (request, headers) =>
          upstreamRequestHeaders(headers, {
            requestId: request.id,
            address: request.ip,
            identityToken: request.upstreamIdentity,
            bodyLength: (request.body as Buffer | undefined)?.length,
          }),
        rewriteHeaders: clientResponseHeaders,
        onResponse: (request, reply, response) =>
          answer(request as FastifyRequest, reply as FastifyReply, response.stream),
        onError: (reply, { error }) => (reply as FastifyReply).send(upstreamFailure(error)),
      },
    });
  });
}

/**
 * Passes the service's answer on. That a service does not believe an identity which the gateway has just signed is not
 * the client's fault: the two have different signing keys, as can be for a moment while they are rotated.
 */
function answer(request: FastifyRequest, reply: FastifyReply, stream: NodeJS.ReadableStream): void {
  if (request.upstreamIdentity !== undefined && reply.statusCode === 401) {
    stream.resume();
    for (const name of Object.keys(reply.getHeaders())) {
      if (name.startsWith('content-') || name === 'www-authenticate') reply.removeHeader(name);
    }
    const cause = new Error('The service behind refused the identity that the gateway signed');
    reply.send(new AppError('unavailable', UNAVAILABLE_MESSAGE, { cause }));
    return;
  }
  reply.send(stream);
}

/** The proxy refuses paths that could climb out of their prefix with a bare 400. */
function isStrangePath(error: unknown): boolean {
  const { statusCode, code } = error as { statusCode?: unknown; code?: unknown };
  return statusCode === 400 && code === undefined;
}

function notFound(cause: unknown): AppError {
  return new AppError('not_found', 'Not found: nothing answers this method at this path.', { cause });
}
