import type { Brand } from '@waymark/service-kit';
import type { FastifyInstance } from 'fastify';
import { loadOnce, sendFile } from '../static/static-file.ts';
import { INDEX, type PageFacts, readDashboard } from './dashboard-files.ts';

/**
 * Headers of each file of the dashboard. The policy forbids other hosts, inline scripts and styles, framing, forms, and
 * the functions that turn text into HTML or script. `blob:` is for QR codes, which are fetched with the session's token.
 */
const HEADERS = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
};

/** The names of these files contain a hash of their content. */
const HASHED = 'assets/';
const PAGE_HEADERS = { ...HEADERS, 'cache-control': 'no-cache' };
const HASHED_HEADERS = { ...HEADERS, 'cache-control': 'public, max-age=31536000, immutable' };

/**
 * Serves the dashboard below `/app/`. The first request loads its files, and all requests share them in memory. Any
 * other path below `/app/` that a browser navigates to is a view of the dashboard, so it gets the page.
 */
export function dashboardRoutes(app: FastifyInstance, brand: Brand, facts: PageFacts): void {
  const load = loadOnce(() => readDashboard(brand, facts));
  app.get('/app', async (request, reply) => {
    const path = request.url.split('?', 1)[0]!;
    if (!path.endsWith('/')) return reply.redirect(`/app/${request.url.slice(path.length)}`);
    return sendFile(request, reply, (await load()).get(INDEX)!, PAGE_HEADERS);
  });
  app.get<{ Params: { '*': string } }>('/app/*', async (request, reply) => {
    const files = await load();
    const path = request.params['*'];
    const file = files.get(path);
    if (file !== undefined)
      return sendFile(request, reply, file, path.startsWith(HASHED) ? HASHED_HEADERS : PAGE_HEADERS);
    if (path.startsWith(HASHED) || !request.headers.accept?.includes('text/html')) return reply.callNotFound();
    return sendFile(request, reply, files.get(INDEX)!, PAGE_HEADERS);
  });
}
