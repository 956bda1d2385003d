import { openApiDocument } from '@waymark/contract';
import type { FastifyInstance } from 'fastify';

/** `/openapi.json`, open to anyone. */
export function docsRoutes(app: FastifyInstance, publicUrl: string): void {
  const document = JSON.stringify(openApiDocument(publicUrl));
  app.get('/openapi.json', (_request, reply) => reply.type('application/json; charset=utf-8').send(document));
}
