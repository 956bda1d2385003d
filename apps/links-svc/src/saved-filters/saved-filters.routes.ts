import { requireSession } from '@waymark/auth';
import { SaveFilterInput, validator } from '@waymark/contract';
import type { FastifyInstance } from 'fastify';
import type { SavedFiltersService } from './saved-filters.service.ts';

const FILTERS = '/api/v1/me/filters';
const saveInput = validator(SaveFilterInput);

/** Adds the endpoints of saved filters (docs/api.md, Saved filters). */
export function savedFilterRoutes(app: FastifyInstance, service: SavedFiltersService): void {
  app.get(FILTERS, async (request) => ({ filters: await service.list(requireSession(request.identity).accountId) }));

  app.post(FILTERS, async (request, reply) => {
    const { accountId } = requireSession(request.identity);
    return reply.code(201).send(await service.save(accountId, saveInput(request.body)));
  });

  app.delete<{ Params: { id: string } }>(`${FILTERS}/:id`, async (request, reply) => {
    const { accountId } = requireSession(request.identity);
    await service.delete(accountId, request.params.id);
    return reply.code(204).send();
  });
}
