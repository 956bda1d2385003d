import { requireAccount } from '@waymark/auth';
import type { FastifyInstance } from 'fastify';
import type { HashtagsService } from './hashtags.service.ts';

/** Adds the REST endpoint of hashtags (docs/api.md, Hashtags). */
export function hashtagRoutes(app: FastifyInstance, hashtags: HashtagsService): void {
  app.get('/api/v1/hashtags', async (request) => hashtags.list(requireAccount(request.identity)));
}
