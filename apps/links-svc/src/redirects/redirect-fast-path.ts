import type { IncomingMessage } from 'node:http';
import { hostFault, type Interceptor, queryOf } from '@waymark/service-kit';
import type { FastifyInstance } from 'fastify';
import { findLink } from './find-link.ts';
import type { RedirectLink } from './link-cache.ts';
import { type RedirectDeps, redirect } from './redirect.ts';

const ROUTE = '/:slug';
const STATUS = 302;

/**
 * Returns an interceptor that redirects `GET` and `HEAD` requests for open links in the cache that have not expired. It
 * does so without Fastify, whose router, hooks and reply cost more than the redirect (ADR 28). All other requests, and
 * all unusual ones, go to Fastify's route, which sends the same response.
 */
export function redirectFastPath(deps: RedirectDeps, app: () => FastifyInstance): Interceptor {
  return (request, response, next) => {
    const link = cachedLinkOf(request, deps);
    if (link === null) return next();
    const record = app().recordRequest(request, ROUTE);
    const { method, headers, url } = request;
    const address = app().clientAddress(request);
    redirect({ method: method!, headers, query: queryOf(url!), address }, link, deps).then((found) => {
      if (app().isDraining()) response.shouldKeepAlive = false;
      const length = method === 'HEAD' ? {} : { 'content-length': '0' };
      response.writeHead(STATUS, { 'x-request-id': record.requestId, ...length, ...found }).end();
      record.end(STATUS);
    }, next);
  };
}

/** Returns the open link of a request if it is in the cache and nothing about the request is unusual. */
function cachedLinkOf(request: IncomingMessage, { links, now }: RedirectDeps): RedirectLink | null {
  const { method, url, headers } = request;
  if ((method !== 'GET' && method !== 'HEAD') || url === undefined) return null;
  if (headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined) return null;
  if (hostFault(request) !== null) return null;
  const mark = url.indexOf('?');
  const slug = url.slice(1, mark === -1 ? undefined : mark);
  const link = findLink(slug, links);
  if (link instanceof Promise) {
    // Fastify's route waits for the same lookup.
    link.catch(() => {});
    return null;
  }
  return link !== null && link.passwordHash === null && now() < link.expiresAt ? link : null;
}
