import { requireAccount } from '@waymark/auth';
import {
  CreateLinkInput,
  ListLinksQuery,
  queryValidator,
  UpdateLinkInput,
  validator,
  validatorIgnoringNull,
} from '@waymark/contract';
import type { FastifyInstance } from 'fastify';
import { within } from '../within.ts';
import { checkIdempotencyKey } from './idempotency.ts';
import { linkHeader } from './link-header.ts';
import type { LinksService } from './links.service.ts';

const createInput = validatorIgnoringNull(CreateLinkInput);
const updateInput = validator(UpdateLinkInput);
const listQuery = queryValidator(ListLinksQuery);
const LINKS = '/api/v1/links';
const ANSWER_WITHIN_MS = 4_700;

/** The REST door of links (contract section 4). */
export function linkRoutes(app: FastifyInstance, service: LinksService, publicUrl: string): void {
  app.get(LINKS, async (request, reply) => {
    const identity = requireAccount(request.identity);
    const list = await inTime(service.list(identity, listQuery(request.query)));
    reply.header('link', linkHeader(`${publicUrl}${LINKS}`, request.query as Record<string, unknown>, list));
    return list;
  });

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

/** Steps that each end in time may together take longer than the 5 seconds of the contract. */
function inTime<Result>(work: Promise<Result>): Promise<Result> {
  return within(work, ANSWER_WITHIN_MS, 'the request');
}
