import { requireService } from '@waymark/auth';
import { AppError } from '@waymark/contract';
import { VISITS_PATH, type VisitsRequest, type VisitsResponse } from '@waymark/proto';
import type { FastifyInstance } from 'fastify';
import { type Leading, leadVisitor } from './lead-visitor.ts';

/** Many visits, each with headers of some kilobytes. */
const BODY_LIMIT_BYTES = 8 * 1024 * 1024;

/**
 * The gateway's door for visitors: many visits in one exchange. Only what a known link answers at once is answered here;
 * nobody waits for another visitor's link to be looked up. The log has each visit where it arrived, in the gateway's. Add it
 * within `register`: it reads bodies in a way of its own.
 */
export function visitsRoutes(app: FastifyInstance, leading: Leading): void {
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
    return { answers: await Promise.all(request.body.visits.map((visit) => leadVisitor(visit, leading))) };
  });
}
