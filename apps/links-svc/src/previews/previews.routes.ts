import { requireAccount } from '@waymark/auth';
import { AutoMetaQuery } from '@waymark/contract';
import type { FastifyInstance } from 'fastify';
import { checkDestinations } from '../slugs/destinations.ts';
import type { ShortUrls } from '../slugs/short-urls.ts';
import type { Previews } from './previews.ts';

export interface PreviewRoutesDeps {
  previews: Pick<Previews, 'fetchPreview'>;
  shortUrls: Pick<ShortUrls, 'isShortUrl'>;
}

/**
 * Adds the REST endpoint that reads a page before its link is created (docs/api.md, auto_meta). It shares the limits of
 * creations: pages that are read concurrently, in all and for the account.
 */
export function previewRoutes(app: FastifyInstance, { previews, shortUrls }: PreviewRoutesDeps): void {
  app.get<{ Querystring: AutoMetaQuery }>(
    '/api/v1/auto-meta',
    { schema: { querystring: AutoMetaQuery } },
    async (request) => {
      const { accountId } = requireAccount(request.identity);
      checkDestinations(request.query, shortUrls);
      return previews.fetchPreview(accountId, request.query.destination_url);
    },
  );
}
