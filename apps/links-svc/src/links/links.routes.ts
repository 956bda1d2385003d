import { requireAccount } from '@waymark/auth';
import { CreateLinkInput, QrQuery, UpdateLinkInput, validator, validatorIgnoringNull } from '@waymark/contract';
import type { FastifyInstance } from 'fastify';
import { checkIdempotencyKey } from '../idempotency/idempotency.ts';
import type { QrCodes } from '../qr-codes/qr-codes.ts';
import type { LinkCreations } from './link-creations.service.ts';
import type { LinksService } from './links.service.ts';

const createInput = validatorIgnoringNull(CreateLinkInput);
const updateInput = validator(UpdateLinkInput);
/** The path of links. */
export const LINKS = '/api/v1/links';

export interface LinkRoutesDeps {
  service: LinksService;
  creations: LinkCreations;
  qrCodes: QrCodes;
}

/** The path of one link. Some proxies decode `%2F` in a short URL, and make one slash of several. */
const LINK_PATHS = ['/:id', '/:host/:slug', '/:scheme(^https?:$)/:host/:slug', '/:scheme(^https?:$)//:host/:slug'].map(
  (path) => LINKS + path,
);

interface OfLink {
  Params: { id: string } | { scheme?: string; host: string; slug: string };
}

/** Returns what names the link. */
function nameOf(params: OfLink['Params']): string {
  if ('id' in params) return params.id;
  const { scheme, host, slug } = params;
  return `${scheme === undefined ? '' : `${scheme}//`}${host}/${slug}`;
}

/**
 * Adds the REST endpoints of links (docs/api.md, Links). The instance checks query parameters (`checkQueryParameters`).
 */
export function linkRoutes(app: FastifyInstance, { service, creations, qrCodes }: LinkRoutesDeps): void {
  app.post(LINKS, async (request, reply) => {
    const identity = requireAccount(request.identity);
    const key = checkIdempotencyKey(request.headers['idempotency-key']);
    const link = await creations.create(identity, createInput(request.body), key);
    return reply.code(201).header('location', `${LINKS}/${link.id}`).send(link);
  });

  for (const path of LINK_PATHS) {
    app.get<OfLink>(path, async (request) => service.get(requireAccount(request.identity), nameOf(request.params)));

    app.get<OfLink & { Querystring: QrQuery }>(
      `${path}/qr`,
      { schema: { querystring: QrQuery } },
      async (request, reply) => {
        const identity = requireAccount(request.identity);
        const link = await service.get(identity, nameOf(request.params));
        const { type, body } = await qrCodes.image(identity.accountId, link, request.query);
        // Private: a cache that many people share must not show it without a key.
        return reply.type(type).header('cache-control', 'private, max-age=86400').send(body);
      },
    );

    app.put<OfLink>(path, async (request) =>
      service.update(requireAccount(request.identity), nameOf(request.params), updateInput(request.body)),
    );

    app.delete<OfLink>(`${path}/clicks`, async (request, reply) => {
      await service.forgetClicks(requireAccount(request.identity), nameOf(request.params));
      return reply.code(204).send();
    });

    app.delete<OfLink>(path, async (request, reply) => {
      await service.delete(requireAccount(request.identity), nameOf(request.params));
      return reply.code(204).send();
    });
  }
}
