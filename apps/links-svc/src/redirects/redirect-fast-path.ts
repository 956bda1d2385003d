import type { IncomingMessage } from 'node:http';
import { hostFault, type Interceptor, queryOf } from '@waymark/service-kit';
import type { FastifyInstance } from 'fastify';
import { wantsCard } from './card-page.ts';
import { peekLink } from './find-link.ts';
import { REDIRECT_ROUTE, type Redirect, type RedirectDeps, redirectOf } from './redirect.ts';

/**
 * Returns an interceptor that redirects `GET` and `HEAD` requests for open links in the cache that have no limit and have not expired. It
 * does so without Fastify, whose router, hooks and reply cost more than the redirect (ADR 28). All other requests, and
 * all unusual ones, go to Fastify's route, which sends the same response.
 */
export function redirectFastPath(deps: RedirectDeps, app: () => FastifyInstance): Interceptor {
  return (request, response, next) => {
    const found = findRedirect(request, deps, app);
    if (found === null) return next();
    const record = app().recordRequest(request, REDIRECT_ROUTE);
    const respond = () => {
      if (app().isDraining()) response.shouldKeepAlive = false;
      const { status, headers } = found;
      headers['x-request-id'] = record.requestId;
      if (request.method !== 'HEAD') headers['content-length'] = '0';
      response.writeHead(status, headers).end();
      record.end(status);
    };
    // If the click could not be appended, Fastify's route tries again, and records the request.
    const retry = () => {
      record.discard();
      next();
    };
    deps.clicks.append(found.click).then(respond, retry);
  };
}

/** Returns the redirect of a request if its link is open and cached, and nothing about the request is unusual. */
function findRedirect(request: IncomingMessage, deps: RedirectDeps, app: () => FastifyInstance): Redirect | null {
  const { method, url, headers } = request;
  if ((method !== 'GET' && method !== 'HEAD') || url === undefined) return null;
  if (headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined) return null;
  if (hostFault(request) !== null) return null;
  const host = deps.hosts.of(headers.host);
  if (host === 'refused') return null;
  const mark = url.indexOf('?');
  const link = peekLink(host, url.slice(1, mark === -1 ? undefined : mark), deps.links);
  if (link === undefined || link.passwordHash !== null || link.limitId !== null || deps.now() >= link.expiresAt)
    return null;
  if (wantsCard(link, headers['user-agent'])) return null;
  try {
    return redirectOf(
      { method, headers, host, query: queryOf(url), address: app().clientAddress(request) },
      link,
      deps,
    );
  } catch {
    // Fastify's route fails in the same way. It logs the error and responds with 500.
    return null;
  }
}
