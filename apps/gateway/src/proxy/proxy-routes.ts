import { isAscii } from 'node:buffer';
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
import { ShortBody, type UpstreamResponse } from './attempt.ts';
import { compressed } from './compression.ts';
import { exchange, type UpstreamRequest } from './exchange.ts';
import { clientResponseHeaders, upstreamRequestHeaders } from './headers.ts';
import type { InFlight, Place } from './in-flight.ts';
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

/** What is passed through the plugin as it is. The plugin copies the headers, by symbols too. */
const FORWARDED = Symbol('forwarded');
interface Forwarded {
  headers: UpstreamRequest['headers'];
  place: Place;
  reply: FastifyReply;
  /** Aborts when the client disconnects. */
  signal: AbortSignal | undefined;
}

/** A request as `@fastify/reply-from` gives it to its client. */
interface PluginRequest {
  method: string;
  path: string;
  headers: { [FORWARDED]: Forwarded };
  body: Buffer | UnreadBody | '';
  headersTimeout: number;
}
type PluginCallback = (error: unknown, response?: UpstreamResponse) => void;

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
    scope.addHook('onSend', (_request, _reply, payload, done) => {
      // Node writes a text together with the headers, but bytes separately.
      done(null, Buffer.isBuffer(payload) && isAscii(payload) ? payload.toString('latin1') : payload);
    });
    const send = ({ method, path, headers, body, headersTimeout }: PluginRequest, callback: PluginCallback) => {
      const { headers: sent, place, reply, signal } = headers[FORWARDED];
      exchange(agent, upstreams[route.upstream], {
        method,
        path,
        headers: sent,
        body: body === '' ? null : body,
        timeoutMs: headersTimeout,
        retryReads: route.retryReads ?? false,
        signal,
      })
        .then((response) => {
          // A place belongs to work: a client that reads slowly must not keep it from others.
          if (response.body instanceof ShortBody || reply.raw.closed) place.leave();
          else {
            place.endWork();
            reply.raw.once('close', () => place.leave());
          }
          return isMcp ? requireMessage(response) : response;
        })
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
      // It returns no reply: Fastify would watch one that a promise resolves to with a set of listeners.
      handler(request, reply, path, options): Promise<never> | undefined {
        const place = inFlight.enter(route.kind, request.caller?.accountId ?? rateLimitKey(request.ip));
        if (place instanceof Promise) return place;
        const { body } = request;
        const headers = upstreamRequestHeaders(request);
        if (!route.streamsBody) headers[TIME_LEFT_HEADER] = String(Math.max(1, leftMs(reply) - RESPOND_MS));
        const signal = route.cancelAbandoned ? clientGone(reply) : undefined;
        const forwarded: Forwarded = { headers, place, reply, signal };
        try {
          reply.from(path, {
            ...options,
            // The plugin takes a stream from the request.
            ...(Buffer.isBuffer(body) && { body, contentType: 'application/octet-stream' }),
            timeout: route.streamsBody ? LARGE_BODY_RESPONSE_TIMEOUT_MS : leftMs(reply),
            retryDelay: () => null,
            rewriteRequestHeaders: () => ({ [FORWARDED]: forwarded }),
            rewriteHeaders: clientResponseHeaders,
            onResponse: (_request, _reply, { stream }) => sendBody(reply, compressed(request, reply, stream as never)),
            onError(_reply, { error }) {
              place.leave();
              reply.send(upstreamFailure(error.cause ?? error));
            },
          });
        } catch (error) {
          place.leave();
          throw error;
        }
        return undefined;
      },
    });
  });
}

function sendBody(reply: FastifyReply, body: UpstreamResponse['body']): void {
  if (!(body instanceof ShortBody)) reply.send(body);
  // Node would write an empty body separately.
  else reply.send(body.bytes.length === 0 ? undefined : body.bytes);
}

/** Returns what is left for the service to respond. */
function leftMs({ elapsedTime }: FastifyReply): number {
  return Math.max(1, Math.round(REQUEST_MAX_MS - elapsedTime));
}

/** A path that is surely not unusual. */
const PLAIN_PATH = /^\/[\w/-]*(?:\?|$)/;

/** Returns true if the URL of this path would have another path, or if it names a host or is not valid. */
function isUnusual(url: string): boolean {
  if (PLAIN_PATH.test(url)) return false;
  try {
    return /^[^/]|\/\.|\.\.\/|\\/.test(decodeURIComponent(url.split('?', 1)[0]!));
  } catch {
    return true;
  }
}
