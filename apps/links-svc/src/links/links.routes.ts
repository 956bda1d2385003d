import { requireAccount } from '@waymark/auth';
import { CreateLinkInput, ListLinksQuery, UpdateLinkInput, validator, validatorIgnoringNull } from '@waymark/contract';
import { queryOf, withTimeout } from '@waymark/service-kit';
import type { FastifyInstance } from 'fastify';
import { checkIdempotencyKey } from './idempotency.ts';
import { linkHeader } from './link-header.ts';
import type { LinksService } from './links.service.ts';

const createInput = validatorIgnoringNull(CreateLinkInput);
const updateInput = validator(UpdateLinkInput);
const LINKS = '/api/v1/links';
const ANSWER_WITHIN_MS = 4_700;

/**
 * Adds the REST endpoints of links (docs/api.md, Links). The instance checks query parameters (`checkQueryParameters`).
 */
export function linkRoutes(app: FastifyInstance, service: LinksService, publicUrl: string): void {
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
    const link = await inTime(service.create(identity, createInput(request.body), key));
    return reply.code(201).header('location', `${LINKS}/${link.id}`).send(link);
  });

  app.get<{ Params: { id: string } }>(`${LINKS}/:id`, async (request) =>
    inTime(service.get(requireAccount(request.identity), request.params.id)),
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
  return withTimeout(work, ANSWER_WITHIN_MS, 'the request');
}
