import { requireAccount } from '@waymark/auth';
import { EXPORT_TYPES, ExportLinksQuery, ListLinksQuery } from '@waymark/contract';
import { queryOf } from '@waymark/service-kit';
import type { FastifyInstance } from 'fastify';
import { LINKS } from '../links/links.routes.ts';
import { LinkExports } from './link-exports.ts';
import { linkHeader } from './link-header.ts';
import type { ListsService } from './lists.service.ts';

export interface ListRoutesDeps {
  lists: ListsService;
  /** The base of the `Link` header, without a slash at the end. */
  apiUrl: string;
}

/** Adds the REST endpoints of lists and exports (docs/api.md, Lists and search). */
export function listRoutes(app: FastifyInstance, { lists, apiUrl }: ListRoutesDeps): void {
  const exports = new LinkExports(lists);
  app.get<{ Querystring: ListLinksQuery }>(
    LINKS,
    { schema: { querystring: ListLinksQuery } },
    async (request, reply) => {
      const list = await lists.list(requireAccount(request.identity), request.query);
      const link = linkHeader(`${apiUrl}${LINKS}`, queryOf(request.url), list);
      if (link !== undefined) reply.header('link', link);
      return list;
    },
  );

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
      return reply.send(await exports.stream(requireAccount(request.identity), request.query));
    },
  );
}
