import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type DashboardFile, ENCODINGS, type Encoding, readDashboard } from './dashboard-files.ts';

/**
 * Headers of each file of the dashboard. The policy forbids other hosts, inline scripts and styles, framing, forms, and
 * the functions that turn text into HTML or script. `blob:` is for QR codes, which are fetched with the session's token.
 */
const HEADERS = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
};

const INDEX = 'index.html';
/** The names of these files contain a hash of their content. */
const HASHED = 'assets/';
const IMMUTABLE = 'public, max-age=31536000, immutable';

/**
 * Serves the dashboard below `/app/`. The first request loads its files, and all requests share them in memory. Any
 * other path below `/app/` that a browser navigates to is a view of the dashboard, so it gets the page.
 */
export function dashboardRoutes(app: FastifyInstance): void {
  let loading: Promise<Map<string, DashboardFile>> | undefined;
  const load = () => {
    loading ??= readDashboard().catch((error) => {
      loading = undefined;
      throw error;
    });
    return loading;
  };
  app.get('/app', async (request, reply) => {
    const [path, query] = splitQuery(request.url);
    if (!path.endsWith('/')) return reply.redirect(`/app/${query}`);
    return send(request, reply, INDEX, (await load()).get(INDEX)!);
  });
  app.get<{ Params: { '*': string } }>('/app/*', async (request, reply) => {
    const files = await load();
    const path = request.params['*'];
    const file = files.get(path);
    if (file !== undefined) return send(request, reply, path, file);
    if (path.startsWith(HASHED) || !request.headers.accept?.includes('text/html')) return reply.callNotFound();
    return send(request, reply, INDEX, files.get(INDEX)!);
  });
}

function splitQuery(url: string): [path: string, query: string] {
  const start = url.indexOf('?');
  return start === -1 ? [url, ''] : [url.slice(0, start), url.slice(start)];
}

function send(request: FastifyRequest, reply: FastifyReply, path: string, file: DashboardFile): FastifyReply {
  reply.headers(HEADERS).headers({
    etag: file.etag,
    'cache-control': path.startsWith(HASHED) ? IMMUTABLE : 'no-cache',
    vary: 'Accept-Encoding',
  });
  if (request.headers['if-none-match'] === file.etag) return reply.code(304).send();
  const encoding = ENCODINGS.find((one) => file.compressed[one] && accepts(request, one));
  if (encoding === undefined) return reply.type(file.type).send(file.content);
  return reply.type(file.type).header('content-encoding', encoding).send(file.compressed[encoding]);
}

/** Returns true if `Accept-Encoding` lists the encoding, and not with the weight 0. */
function accepts(request: FastifyRequest, encoding: Encoding): boolean {
  const list = String(request.headers['accept-encoding'] ?? '').split(',');
  return list.some((item) => {
    const [name, ...parameters] = item.split(';').map((part) => part.trim().toLowerCase());
    return name === encoding && !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter));
  });
}
