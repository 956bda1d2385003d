import { requireAccount } from '@waymark/auth';
import { AppError, checkImportQuery, IMPORT_CONTENT_TYPES, IMPORT_MAX_BYTES, ImportQuery } from '@waymark/contract';
import { allowSlowBody, bodyPieces } from '@waymark/service-kit';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { checkIdempotencyKey } from '../idempotency/idempotency.ts';
import type { ImportsService } from './imports.service.ts';

/** Adds the REST endpoint of imports (docs/api.md, Jobs). */
export function importRoutes(app: FastifyInstance, service: ImportsService): void {
  app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    // The file is read in pieces, as it arrives.
    for (const type of [...IMPORT_CONTENT_TYPES, ANY_FILE]) scope.addContentTypeParser(type, async () => undefined);
    scope.addContentTypeParser('*', async ({ headers }: FastifyRequest) => {
      if (headers['content-type'] !== undefined) throw wrongType();
    });
    scope.post<{ Querystring: ImportQuery }>(
      '/api/v1/jobs/import',
      { schema: { querystring: ImportQuery }, onRequest: async ({ raw }) => allowSlowBody(raw) },
      async (request, reply) => {
        const identity = requireAccount(request.identity);
        const key = checkIdempotencyKey(request.headers['idempotency-key']);
        const { dry_run, ...options } = checkImportQuery(request.query);
        const file = { ...options, contentType: request.headers['content-type'] };
        const bytes = bodyPieces(request.raw, IMPORT_MAX_BYTES);
        if (!dry_run) return reply.code(202).send((await service.start(identity, bytes, file, key)).job);
        return service.preview(identity, bytes, file);
      },
    );
  });
}

/** The type that generated clients send. The reader then finds out the kind of the file, as without a type. */
const ANY_FILE = 'application/octet-stream';

function wrongType(): AppError {
  const types = IMPORT_CONTENT_TYPES.join(', ');
  return new AppError('invalid', `Send the file as the body, with one of these as "Content-Type": ${types}.`);
}
