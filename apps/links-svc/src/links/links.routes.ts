import { requireAccount } from '@waymark/auth';
import {
  type AppError,
  BULK_BODY_MAX_BYTES,
  BulkInput,
  CreateLinkInput,
  checkOperations,
  type ExportFormat,
  ExportLinksQuery,
  ListLinksQuery,
  QrQuery,
  REST_CHECKS,
  UpdateLinkInput,
  validator,
  validatorIgnoringNull,
} from '@waymark/contract';
import { queryOf, withTimeout } from '@waymark/service-kit';
import type { FastifyInstance } from 'fastify';
import type { BulkEdits } from '../bulk/bulk-edits.service.ts';
import { checkIdempotencyKey } from '../idempotency/idempotency.ts';
import { LinkExports } from '../lists/link-exports.ts';
import { linkHeader } from '../lists/link-header.ts';
import type { LinkCreations } from './link-creations.service.ts';
import type { LinksService } from './links.service.ts';
import { qrImage } from './qr-code.ts';

const createInput = validatorIgnoringNull(CreateLinkInput);
const bulkInput = validator(BulkInput);
const updateInput = validator(UpdateLinkInput);
const LINKS = '/api/v1/links';
const EXPORT_TYPES: Record<ExportFormat, string> = {
  ndjson: 'application/x-ndjson; charset=utf-8',
  csv: 'text/csv; charset=utf-8; header=present',
};
const RESPONSE_TIMEOUT_MS = 4_700;

export interface LinkRoutesDeps {
  service: LinksService;
  creations: LinkCreations;
  bulkEdits: BulkEdits;
  publicUrl: string;
}

/**
 * Adds the REST endpoints of links (docs/api.md, Links). The instance checks query parameters (`checkQueryParameters`).
 */
export function linkRoutes(app: FastifyInstance, { service, creations, bulkEdits, publicUrl }: LinkRoutesDeps): void {
  const exports = new LinkExports(service);
  app.get<{ Querystring: ListLinksQuery }>(
    LINKS,
    { schema: { querystring: ListLinksQuery } },
    async (request, reply) => {
      const list = await inTime(service.list(requireAccount(request.identity), request.query));
      reply.header('link', linkHeader(`${publicUrl}${LINKS}`, queryOf(request.url), list));
      return list;
    },
  );

  app.post(LINKS, async (request, reply) => {
    const identity = requireAccount(request.identity);
    const key = checkIdempotencyKey(request.headers['idempotency-key']);
    const link = await inTime(creations.create(identity, createInput(request.body), key));
    return reply.code(201).header('location', `${LINKS}/${link.id}`).send(link);
  });

  app.post(`${LINKS}/bulk`, { bodyLimit: BULK_BODY_MAX_BYTES }, async (request) => {
    const identity = requireAccount(request.identity);
    const idempotencyKey = checkIdempotencyKey(request.headers['idempotency-key']);
    const { operations, fields } = bulkInput(request.body);
    const onFailure = (error: AppError) =>
      request.log.error({ err: error.cause ?? error }, 'an operation of a bulk edit failed');
    const options = { idempotencyKey, fields, onFailure };
    return { results: await inTime(bulkEdits.edit(identity, checkOperations(operations, REST_CHECKS), options)) };
  });

  app.get<{ Querystring: ExportLinksQuery }>(
    `${LINKS}/export`,
    { schema: { querystring: ExportLinksQuery } },
    async (request, reply) => {
      const { format } = request.query;
      reply
        .type(EXPORT_TYPES[format])
        .header('content-disposition', `attachment; filename="links.${format}"`)
        .header('cache-control', 'no-store');
      // Without this, Fastify would read the whole stream for a HEAD.
      if (request.method === 'HEAD') return reply.send('');
      return reply.send(await exports.stream(requireAccount(request.identity), request.query, inTime));
    },
  );

  app.get<{ Params: { id: string } }>(`${LINKS}/:id`, async (request) =>
    inTime(service.get(requireAccount(request.identity), request.params.id)),
  );

  app.get<{ Params: { id: string }; Querystring: QrQuery }>(
    `${LINKS}/:id/qr`,
    { schema: { querystring: QrQuery } },
    async (request, reply) => {
      const { short_url } = await inTime(service.get(requireAccount(request.identity), request.params.id));
      const { type, body } = await qrImage(short_url, request.query);
      // Private: a cache that many people share must not show it without a key.
      return reply.type(type).header('cache-control', 'private, max-age=86400').send(body);
    },
  );

  app.put<{ Params: { id: string } }>(`${LINKS}/:id`, async (request) =>
    inTime(service.update(requireAccount(request.identity), request.params.id, updateInput(request.body))),
  );

  app.delete<{ Params: { id: string } }>(`${LINKS}/:id`, async (request, reply) => {
    await inTime(service.delete(requireAccount(request.identity), request.params.id));
    return reply.code(204).send();
  });
}

/**
 * Bounds the time of the whole request. Several steps within their own limits can together exceed the 5 seconds of
 * docs/api.md (Errors).
 */
function inTime<Result>(work: Promise<Result>): Promise<Result> {
  return withTimeout(work, RESPONSE_TIMEOUT_MS, 'the request');
}
