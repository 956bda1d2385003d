import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { openApiDocument } from '@waymark/contract';
import type { FastifyInstance } from 'fastify';
import { docsPage } from './docs-page.ts';

/** Headers that forbid resources of other origins, inline scripts and styles, and framing. */
const PAGE_HEADERS = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
};

/** Serves `/openapi.json` and `/docs`, a page to read and try the API. Both are public and the same for everyone. */
export function docsRoutes(app: FastifyInstance, publicUrl: string): void {
  const document = openApiDocument(publicUrl);
  const asset = (name: string) => readFileSync(new URL(`../../assets/${name}`, import.meta.url));
  serve(app, '/openapi.json', 'application/json', JSON.stringify(document));
  serve(app, '/docs', 'text/html', docsPage(document), PAGE_HEADERS);
  serve(app, '/docs/docs.css', 'text/css', asset('docs.css'));
  serve(app, '/docs/docs.js', 'text/javascript', asset('docs.js'));
}

/** Serves content that changes only with the version of the service. Browsers revalidate it by its ETag. */
function serve(
  app: FastifyInstance,
  path: string,
  type: string,
  content: string | Buffer,
  headers: Record<string, string> = {},
): void {
  const etag = `"${createHash('sha256').update(content).digest('base64url').slice(0, 22)}"`;
  app.get(path, (request, reply) => {
    reply.headers({ ...headers, etag, 'cache-control': 'no-cache', 'x-content-type-options': 'nosniff' });
    if (request.headers['if-none-match'] === etag) return reply.code(304).send();
    return reply.type(`${type}; charset=utf-8`).send(content);
  });
}
