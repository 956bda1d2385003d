import { AsyncLocalStorage } from 'node:async_hooks';
import httpProxy from '@fastify/http-proxy';
import {
  allowSlowBody,
  clientGone,
  failureOf,
  REQUEST_MAX_MS,
  rateLimitKey,
  readBody,
  sendFailure,
  TIME_LEFT_HEADER,
} from '@waymark/service-kit';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Counter } from 'prom-client';
import type { Agent } from 'undici';
import type { Caller } from '../keys/authenticate.ts';
import type { ProxyRoute, Upstream } from '../routes.ts';
import { exchange, type UpstreamRequest, type UpstreamResponse } from './exchange.ts';
import { clientResponseHeaders, upstreamRequestHeaders } from './headers.ts';
import type { InFlight } from './in-flight.ts';
import { requireMessage, sendMcpFailure } from './mcp-failures.ts';
import type { Replicas } from './replicas.ts';
import { UnreadBody } from './unread-body.ts';
import { upstreamFailure } from './upstream-errors.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Undefined on open routes. */
    caller: Caller | undefined;
    /** True once its key or session was found, even if it is refused after that. */
    hasValidKey: boolean;
  }
}

export interface ProxyDeps {
  upstreams: Record<Upstream, Replicas>;
  agent: Agent;
  inFlight: InFlight;
  refusedCalls: Counter<'status'>;
}

/** The service responds so long before the gateway gives up. */
const RESPOND_MS = 100;
/** What the buffers of the connection hold of a large body is read after its end. */
const LARGE_BODY_RESPONSE_TIMEOUT_MS = 60_000;

/** The signal that aborts when the client disconnects. It is passed beside the plugin, which passes none on. */
const signals = new AsyncLocalStorage<AbortSignal>();

/**
 * Adds the routes of one row of the route table. Hooks of `app` must authenticate requests if the row needs it. Bodies
 * of requests are read whole, so that a service gets complete ones only and a request that reached no replica can go to
 * another one; a large one is streamed. Responses are streamed, except short ones.
 */
export function proxyRoutes(
  app: FastifyInstance,
  route: ProxyRoute,
  { upstreams, agent, inFlight, refusedCalls }: ProxyDeps,
): void {
  app.register(async (scope) => {
    const isMcp = route.access === 'mcp';
    scope.setErrorHandler((error, request, reply) =>
      isMcp
        ? sendMcpFailure(error, request, reply, { bodyLimitBytes: route.bodyLimitBytes, refusedCalls })
        : sendFailure(failureOf(error, route.bodyLimitBytes), request, reply),
    );
    if (route.streamsBody)
      scope.addHook('onRequest', (request, _reply, done) => {
        allowSlowBody(request.raw);
        done();
      });
    scope.addHook('onRequest', (request, reply, done) => {
      if (isUnusual(request.raw.url!)) return void reply.callNotFound();
      // A body of a DELETE has no meaning, so its content type must not cause a refusal.
      if (request.method === 'DELETE') delete request.headers['content-type'];
      done();
    });
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', async (request: FastifyRequest, payload: FastifyRequest['raw']) =>
      route.streamsBody
        ? new UnreadBody(payload, route.bodyLimitBytes)
        : readBody(payload, route.bodyLimitBytes, request.headers['content-length']),
    );
    const send = (request: UpstreamRequest, callback: (error: unknown, response?: UpstreamResponse) => void) => {
      exchange(agent, upstreams[route.upstream], request, {
        retryReads: route.retryReads ?? false,
        signal: signals.getStore(),
      })
        .then((response) => (isMcp ? requireMessage(response) : response))
        .then((response) => callback(null, response), callback);
    };
    scope.register(httpProxy, {
      // The replicas are chosen in `send`. The plugin only needs an origin to build URLs with.
      upstream: `http://${route.upstream}`,
      rewritePrefix: scope.prefix,
      // The plugin would parse the query, which may be long, without using it: `from` forwards it as it is.
      preRewrite: (url: string) => url.split('?', 1)[0]!,
      routes: route.paths.map((path) => path.slice(scope.prefix.length)),
      httpMethods: [...route.methods],
      proxyPayloads: false,
      internalRewriteLocationHeader: false,
      disableRequestLogging: true,
      disableCache: true,
      undici: { request: send as never },
      handler: async (request, reply, path, options) => {
        const place = await inFlight.enter(route.kind, request.caller?.accountId ?? rateLimitKey(request.ip));
        const { body } = request;
        const forward = () =>
          reply.from(path, {
            ...options,
            // The plugin takes a stream from the request.
            ...(Buffer.isBuffer(body) && { body, contentType: 'application/octet-stream' }),
            timeout: route.streamsBody ? LARGE_BODY_RESPONSE_TIMEOUT_MS : leftMs(reply),
            retryDelay: () => null,
            rewriteRequestHeaders: () => ({
              ...upstreamRequestHeaders(request),
              ...(!route.streamsBody && { [TIME_LEFT_HEADER]: String(Math.max(1, leftMs(reply) - RESPOND_MS)) }),
            }),
            rewriteHeaders(headers) {
              // A place belongs to work: a client that reads slowly must not keep it from others.
              place.endWork();
              if (reply.raw.closed) place.leave();
              else reply.raw.once('close', place.leave);
              return clientResponseHeaders(headers);
            },
            onResponse(_request, _reply, { stream: body }) {
              if (Buffer.isBuffer(body)) place.leave();
              // Node would write the empty body of a redirect separately.
              reply.send(Buffer.isBuffer(body) && body.length === 0 ? undefined : body);
            },
            onError(_reply, { error }) {
              place.leave();
              reply.send(upstreamFailure(error.cause ?? error));
            },
          });
        try {
          return route.cancelAbandoned ? signals.run(clientGone(reply), forward) : forward();
        } catch (error) {
          place.leave();
          throw error;
        }
      },
    });
  });
}

/** Returns what is left for the service to respond. */
function leftMs({ elapsedTime }: FastifyReply): number {
  return Math.max(1, Math.round(REQUEST_MAX_MS - elapsedTime));
}

/** Returns true if the URL of this path would have another path, or if it names a host or is not valid. */
function isUnusual(url: string): boolean {
  try {
    return /^[^/]|\/\.|\.\.\/|\\/.test(decodeURIComponent(url.split('?', 1)[0]!));
  } catch {
    return true;
  }
}
