import { requireService } from '@waymark/auth';
import { AppError } from '@waymark/contract';
import { type RedirectHeaders, VISITS_PATH, type Visit, type VisitsRequest, type VisitsResponse } from '@waymark/proto';
import type { FastifyInstance } from 'fastify';
import { findLink } from './find-link.ts';
import type { LinkCache } from './link-cache.ts';
import { type ClickSink, redirect } from './redirect.ts';

export interface VisitsDeps {
  links: Pick<LinkCache, 'find'>;
  clicks: ClickSink;
}

/** Many visits, each with headers of some kilobytes. */
const BODY_LIMIT_BYTES = 8 * 1024 * 1024;
const REDIRECT_STATUS = 302;

/**
 * The gateway's door for visitors: many visits in one exchange, each counted and logged as if it had come alone. Only
 * what a known link answers at once is answered here; nobody waits for another visitor's link to be looked up. Add it within
 * `register`: it reads bodies in a way of its own.
 */
export function visitsRoutes(app: FastifyInstance, { links, clicks }: VisitsDeps): void {
  const options = { bodyLimit: BODY_LIMIT_BYTES, config: { quiet: true } };
  // It comes from the gateway: what is looked for in bodies of strangers would cost more than the visits.
  app.removeContentTypeParser('application/json');
  app.addContentTypeParser<string>('application/json', { parseAs: 'string' }, (_request, body, done) => {
    try {
      done(null, JSON.parse(body));
    } catch (cause) {
      done(new AppError('invalid', 'The body is not valid JSON.', { cause }));
    }
  });
  app.post<{ Body: VisitsRequest }>(VISITS_PATH, options, async (request): Promise<VisitsResponse> => {
    requireService(request.identity, 'gateway');
    const beganAt = performance.now();
    return { answers: await Promise.all(request.body.visits.map((visit) => answer(visit, beganAt))) };
  });

  async function answer(visit: Visit, beganAt: number): Promise<RedirectHeaders | null> {
    const link = findLink(visit.slug, links);
    if (link === null) return null;
    if (link instanceof Promise) {
      // The visit comes again, alone, and waits for this same lookup.
      link.catch(() => {});
      return null;
    }
    if (link.passwordHash !== null) return null;
    const headers = await redirect(visit, link, clicks);
    app.recordAnswer(
      {
        method: visit.method,
        path: `/${visit.slug}`,
        route: '/:slug',
        status: REDIRECT_STATUS,
        durationMs: performance.now() - beganAt,
      },
      visit.requestId,
    );
    return headers;
  }
}
