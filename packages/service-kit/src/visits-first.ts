import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { isSlug } from '@waymark/contract';
import { isTracing, type RedirectHeaders, type Visit } from '@waymark/proto';
import type { FastifyInstance } from 'fastify';
import { tellsOfBody } from './empty-bodies.ts';
import { hostFault } from './node-refusals.ts';
import { queryOf } from './query-string.ts';
import { requestIdOf } from './request-id.ts';

const ROUTE = '/:slug';
const REDIRECT_STATUS = 302;

/**
 * Lets `lead` answer `GET` and `HEAD` of short URLs before Fastify sees them: most of what a redirect costs would be the
 * way through a router and hooks that have nothing to do for it. `lead` says where a visitor is led, or null (at once or
 * later) where it did nothing: then, as all else, the request goes to Fastify's own routes. A rejection is answered by
 * Fastify's error handler. Each answer has `X-Request-Id`, its log line and its observation, as any other. While traces are
 * collected all requests go to Fastify, where their spans are made.
 */
export function answerVisitsFirst(
  app: FastifyInstance,
  lead: (visit: Visit) => Promise<RedirectHeaders | null> | null,
): void {
  if (isTracing()) return;
  const failures = new WeakMap<IncomingMessage, Error>();
  app.addHook('onRequest', (request, _reply, done) => done(failures.get(request.raw)));

  const [fastify] = app.server.listeners('request') as [RequestListener];
  app.server.removeAllListeners('request');
  app.server.on('request', (request, response) => {
    const beganAt = performance.now();
    // One that came before its turn waits: its response has no socket yet.
    const visit = response.socket === null ? null : visitOf(request);
    const leading = visit && lead(visit);
    if (visit === null || leading === null) return fastify(request, response);
    leading.then(
      (headers) => (headers === null ? fastify(request, response) : answer(response, visit, headers, beganAt)),
      (failure: Error) => {
        failures.set(request, failure);
        fastify(request, response);
      },
    );
  });

  function answer(response: ServerResponse, visit: Visit, headers: RedirectHeaders, beganAt: number): void {
    if (app.isDraining()) response.shouldKeepAlive = false;
    // In the form that Node has no copy to make of.
    const all = ['x-request-id', visit.requestId, 'content-length', '0'];
    for (const name in headers) all.push(name, headers[name]!);
    response.writeHead(REDIRECT_STATUS, all).end();
    app.recordAnswer(
      {
        method: visit.method,
        path: `/${visit.slug}`,
        route: ROUTE,
        status: REDIRECT_STATUS,
        durationMs: performance.now() - beganAt,
      },
      visit.requestId,
    );
  }
}

/** The visit that a request is; null for every other request, and where there is anything unusual about it. */
function visitOf(request: IncomingMessage): Visit | null {
  const { method, url, headers } = request;
  if ((method !== 'GET' && method !== 'HEAD') || url === undefined) return null;
  if (tellsOfBody(headers)) return null;
  if (hostFault(request) !== null) return null;
  const mark = url.indexOf('?');
  const slug = url.slice(1, mark === -1 ? undefined : mark);
  if (!isSlug(slug)) return null;
  return {
    requestId: requestIdOf(headers),
    method,
    slug,
    query: queryOf(url),
    headers: {
      'user-agent': headers['user-agent'],
      referer: headers.referer,
      purpose: headers.purpose,
      'sec-purpose': headers['sec-purpose'],
    },
  };
}
