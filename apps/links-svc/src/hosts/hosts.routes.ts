import { type AccountIdentity, requireAccount } from '@waymark/auth';
import {
  AddHostInput,
  AppError,
  checkEmptyBody,
  HOSTS_FORBIDDEN_MESSAGE,
  UpdateHostInput,
  validator,
} from '@waymark/contract';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { HostsService } from './hosts.service.ts';

const HOSTS = '/api/v1/hosts';
const addInput = validator(AddHostInput);
const updateInput = validator(UpdateHostInput);

interface ById {
  Params: { id: string };
}

/** Adds the REST endpoints of short hosts (docs/api.md, Hosts). */
export function hostRoutes(app: FastifyInstance, service: HostsService): void {
  app.get(HOSTS, async (request) => ({
    hosts: await service.list(requireAccount(request.identity).accountId),
  }));

  app.post(HOSTS, async (request, reply) => {
    const host = await service.add(requireManager(request), addInput(request.body));
    return reply.code(201).header('location', `${HOSTS}/${host.id}`).send(host);
  });

  app.get<ById>(`${HOSTS}/:id`, async (request) =>
    service.get(requireAccount(request.identity).accountId, request.params.id),
  );

  app.put<ById>(`${HOSTS}/:id`, async (request) =>
    service.update(requireManager(request), request.params.id, updateInput(request.body)),
  );

  app.delete<ById>(`${HOSTS}/:id`, async (request, reply) => {
    await service.delete(requireManager(request), request.params.id);
    return reply.code(204).send();
  });

  app.post<ById>(`${HOSTS}/:id/verify`, async (request) => {
    const identity = requireManager(request);
    checkEmptyBody(request.body);
    return service.verify(identity, request.params.id);
  });
}

/** @throws {AppError} `forbidden` for a Public Links Only key. */
function requireManager({ identity }: Pick<FastifyRequest, 'identity'>): AccountIdentity {
  const account = requireAccount(identity);
  if (account.scope !== 'full_access') throw new AppError('forbidden', HOSTS_FORBIDDEN_MESSAGE);
  return account;
}
