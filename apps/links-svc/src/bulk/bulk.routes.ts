import { requireAccount } from '@waymark/auth';
import {
  type AppError,
  BULK_BODY_MAX_BYTES,
  BulkInput,
  checkOperations,
  REST_CHECKS,
  validator,
} from '@waymark/contract';
import type { FastifyInstance } from 'fastify';
import { checkIdempotencyKey } from '../idempotency/idempotency.ts';
import { LINKS } from '../links/links.routes.ts';
import type { BulkEdits } from './bulk-edits.service.ts';

const bulkInput = validator(BulkInput);

/** Adds the REST endpoint of bulk edits (docs/api.md, Many at once). */
export function bulkRoutes(app: FastifyInstance, bulkEdits: BulkEdits): void {
  app.post(`${LINKS}/bulk`, { bodyLimit: BULK_BODY_MAX_BYTES }, async (request) => {
    const identity = requireAccount(request.identity);
    const idempotencyKey = checkIdempotencyKey(request.headers['idempotency-key']);
    const { operations, fields } = bulkInput(request.body);
    const onFailure = (error: AppError) =>
      request.log.error({ err: error.cause ?? error }, 'an operation of a bulk edit failed');
    const options = { idempotencyKey, fields, onFailure };
    return { results: await bulkEdits.edit(identity, checkOperations(operations, REST_CHECKS), options) };
  });
}
