import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { openApiDocument } from '@waymark/contract';
import type { FastifyInstance } from 'fastify';
import type { Addresses } from '../addresses.ts';
import { loadOnce, sendFile, staticFile } from '../static/static-file.ts';

/** Headers of the page that forbid resources of other origins, inline scripts and styles, and framing. */
const PAGE_HEADERS = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
};

/** Serves `/openapi.json` and `/docs`, a page to read and try the API. Both are public and the same for everyone. */
export function docsRoutes(app: FastifyInstance, { apiUrl, publicUrl }: Addresses): void {
  const document = async () => Buffer.from(JSON.stringify(openApiDocument(apiUrl, publicUrl)));
  serve(app, '/openapi.json', 'application/json', document);
  serve(app, '/docs', 'text/html', () => asset('docs.html'), PAGE_HEADERS);
  serve(app, '/docs/docs.css', 'text/css', () => asset('docs.css'));
  serve(app, '/docs/docs.js', 'text/javascript', () => asset('docs.js'));
  const compressed = { 'content-encoding': 'gzip' };
  serve(app, '/docs/swagger-ui.css', 'text/css', () => swaggerUi('swagger-ui.css'), compressed);
  serve(app, '/docs/swagger-ui-bundle.js', 'text/javascript', () => swaggerUi('swagger-ui-bundle.js'), compressed);
}

function asset(name: string): Promise<Buffer> {
  return readFile(new URL(`../../assets/${name}`, import.meta.url));
}

/** Reads a file of Swagger UI and compresses it, for every client: only browsers need it, and all of them read gzip. */
async function swaggerUi(name: string): Promise<Buffer> {
  const path = createRequire(import.meta.url).resolve(`swagger-ui-dist/${name}`);
  return promisify(gzip)(await readFile(path), { level: 9 });
}

/** Serves content that changes only with the version of the service. Browsers revalidate it by its ETag. */
function serve(
  app: FastifyInstance,
  path: string,
  type: string,
  load: () => Promise<Buffer>,
  headers: Record<string, string> = {},
): void {
  const file = loadOnce(async () => staticFile(type, await load()));
  app.get(path, async (request, reply) =>
    sendFile(request, reply, await file(), { 'cache-control': 'no-cache', ...headers }),
  );
}
