import { Readable } from 'node:stream';
import { requireAccount } from '@waymark/auth';
import { checkEmptyBody, checkJobInput, isOver, type Job, refusedHeader, refusedLines } from '@waymark/contract';
import { piecesWithoutDeadline } from '@waymark/service-kit';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Refusal } from '../database/documents/job.ts';
import { checkIdempotencyKey } from '../idempotency/idempotency.ts';
import type { JobsService } from './jobs.service.ts';

const JOBS = '/api/v1/jobs';

/** Adds the REST endpoints of jobs (docs/api.md, Jobs). */
export function jobRoutes(app: FastifyInstance, service: JobsService): void {
  app.post(JOBS, async (request, reply) => {
    const identity = requireAccount(request.identity);
    const key = checkIdempotencyKey(request.headers['idempotency-key']);
    return sendJob(reply, await service.start(identity, checkJobInput(request.body), key));
  });

  app.get(JOBS, async (request) => ({ jobs: await service.list(requireAccount(request.identity)) }));

  app.get<{ Params: { id: string } }>(`${JOBS}/:id`, async (request) =>
    service.get(requireAccount(request.identity), request.params.id),
  );

  app.get<{ Params: { id: string } }>(`${JOBS}/:id/refused`, async (request, reply) => {
    const { kind, rows } = await service.refused(requireAccount(request.identity), request.params.id);
    reply.type('text/csv; charset=utf-8; header=present').header('cache-control', 'no-store');
    // Without this, Fastify would read the whole stream for a HEAD.
    if (request.method === 'HEAD') return reply.send('');
    return reply.send(Readable.from(textOf(refusedHeader(kind), rows), { objectMode: false }));
  });

  app.post<{ Params: { id: string } }>(`${JOBS}/:id/cancel`, async (request) => {
    checkEmptyBody(request.body);
    return service.cancel(requireAccount(request.identity), request.params.id);
  });

  app.post<{ Params: { id: string } }>(`${JOBS}/:id/undo`, async (request, reply) => {
    const identity = requireAccount(request.identity);
    const key = checkIdempotencyKey(request.headers['idempotency-key']);
    checkEmptyBody(request.body);
    return sendJob(reply, await service.undo(identity, request.params.id, key));
  });
}

/** Sends a job that was just begun: 200 if it is over, or else 202. */
function sendJob(reply: FastifyReply, job: Job): FastifyReply {
  return reply.code(isOver(job.state) ? 200 : 202).send(job);
}

async function* textOf(header: string, rows: AsyncIterable<Refusal[]>): AsyncGenerator<string> {
  yield header;
  for await (const refused of piecesWithoutDeadline(rows))
    yield refusedLines(refused.map(({ id, reason }) => [id, reason]));
}
