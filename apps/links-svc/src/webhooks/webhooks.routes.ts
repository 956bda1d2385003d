import { type AccountIdentity, requireAccount } from '@waymark/auth';
import {
  AppError,
  CreateWebhookInput,
  checkEmptyBody,
  ReplayInput,
  UpdateWebhookInput,
  validator,
  WEBHOOKS_FORBIDDEN_MESSAGE,
} from '@waymark/contract';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { WebhooksService } from './webhooks.service.ts';

const WEBHOOKS = '/api/v1/webhooks';
const createInput = validator(CreateWebhookInput);
const updateInput = validator(UpdateWebhookInput);
const replayInput = validator(ReplayInput);

interface ById {
  Params: { id: string };
}

/** Adds the REST endpoints of webhooks (docs/api.md, Webhooks). */
export function webhookRoutes(app: FastifyInstance, service: WebhooksService): void {
  app.get(WEBHOOKS, async (request) => ({ webhooks: await service.list(requireManager(request).accountId) }));

  app.post(WEBHOOKS, async (request, reply) => {
    const webhook = await service.create(requireManager(request), createInput(request.body));
    return reply.code(201).header('location', `${WEBHOOKS}/${webhook.id}`).send(webhook);
  });

  app.get<ById>(`${WEBHOOKS}/:id`, async (request) =>
    service.get(requireManager(request).accountId, request.params.id),
  );

  app.put<ById>(`${WEBHOOKS}/:id`, async (request) =>
    service.update(requireManager(request), request.params.id, updateInput(request.body)),
  );

  app.delete<ById>(`${WEBHOOKS}/:id`, async (request, reply) => {
    await service.delete(requireManager(request), request.params.id);
    return reply.code(204).send();
  });

  app.post<ById>(`${WEBHOOKS}/:id/rotate-secret`, async (request) => {
    const { accountId } = requireManager(request);
    checkEmptyBody(request.body);
    return service.rotateSecret(accountId, request.params.id);
  });

  app.post<ById>(`${WEBHOOKS}/:id/test`, async (request, reply) => {
    const { accountId } = requireManager(request);
    checkEmptyBody(request.body);
    await service.test(accountId, request.params.id);
    return reply.code(202).send();
  });

  app.post<ById>(`${WEBHOOKS}/:id/replay`, async (request, reply) => {
    const { accountId } = requireManager(request);
    await service.replay(accountId, request.params.id, replayInput(request.body).after);
    return reply.code(202).send();
  });

  app.get<ById>(`${WEBHOOKS}/:id/deliveries`, async (request) => ({
    deliveries: await service.deliveries(requireManager(request).accountId, request.params.id),
  }));
}

/** @throws {AppError} `forbidden` for a Public Links Only key. */
function requireManager({ identity }: Pick<FastifyRequest, 'identity'>): AccountIdentity {
  const account = requireAccount(identity);
  if (account.scope !== 'full_access') throw new AppError('forbidden', WEBHOOKS_FORBIDDEN_MESSAGE);
  return account;
}
