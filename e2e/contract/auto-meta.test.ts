import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { api, createAccount } from '../support/world.ts';

// docs/api.md, auto_meta, through the gateway. The stack's AUTO_META_ALLOW permits 127.0.0.0/8.
// links-svc tests disguised addresses, charsets and compression bombs.

const { live } = await createAccount();
const rest = api(live);
const seen: IncomingMessage[] = [];
const html =
  (head: string, type = 'text/html; charset=utf-8'): RequestListener =>
  (_request, response) =>
    void response.setHeader('content-type', type).end(`<html><head>${head}</head><body></body></html>`);
const redirectTo =
  (location: string): RequestListener =>
  (_request, response) =>
    void response.writeHead(302, { location }).end();

const PAGES: Record<string, RequestListener> = {
  '/og': html(
    '<meta property="og:title" content="OG &amp; title"><meta property="og:description" content="OG text"><title>T</title>',
  ),
  '/twitter': html('<meta name="twitter:title" content="TW"><meta name="twitter:description" content="TW text">'),
  '/plain': html('<title> Plain\n title </title><meta name="description" content="Plain text">'),
  '/windows-1251': (_request, response) =>
    void response
      .setHeader('content-type', 'text/html; charset=windows-1251')
      .end(
        Buffer.concat([
          Buffer.from('<title>'),
          Buffer.from([0xcf, 0xf0, 0xe8, 0xe2, 0xe5, 0xf2]),
          Buffer.from('</title>'),
        ]),
      ),
  '/undeclared': (_request, response) =>
    void response.setHeader('content-type', 'text/html').end(Buffer.from('<title>Gr\u00fc\u00dfe</title>', 'latin1')),
  '/damaged': (_request, response) =>
    void response
      .setHeader('content-type', 'text/html; charset=utf-8')
      .end(Buffer.from('<title>Gr\u00fc\u00dfe</title>', 'latin1')),
  '/raw-location': redirectTo(Buffer.from('/grüße').toString('latin1')),
  '/gr%C3%BC%C3%9Fe': html('<title>Raw</title>'),
  '/gzip': (_request, response) =>
    void response
      .writeHead(200, { 'content-type': 'text/html', 'content-encoding': 'gzip' })
      .end(gzipSync('<title>Zipped</title>')),
  '/long': html(`<title>${'x'.repeat(500)}</title><meta name="description" content="${'😀'.repeat(2_000)}">`),
  '/json': html('<title>No page</title>', 'application/json'),
  '/error': (_request, response) =>
    void response.writeHead(500, { 'content-type': 'text/html' }).end('<title>Error</title>'),
  '/hop1': redirectTo('/hop2'),
  '/hop2': redirectTo('/hop3'),
  '/hop3': redirectTo('/plain'),
  '/hop0': redirectTo('/hop1'),
  '/private': redirectTo('http://10.0.0.1/'),
  '/metadata': redirectTo('http://169.254.169.254/latest/meta-data/'),
  '/file': redirectTo('file:///etc/passwd'),
  '/cookie': (_request, response) => void response.writeHead(302, { location: '/plain', 'set-cookie': 'a=b' }).end(),
  '/never': () => {},
  '/late': (_request, response) => {
    response.writeHead(200, { 'content-type': 'text/html' }).write(`<!--${'x'.repeat(600 * 1_024)}-->`);
    response.end('<title>Too late</title>');
  },
};
const server = createServer((request, response) => {
  seen.push(request);
  (PAGES[request.url!] ?? ((_request, out) => void out.writeHead(404).end()))(request, response);
});
let base: string;
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

async function previewOf(destination_url: string, fields: object = {}) {
  const startedAt = performance.now();
  const answer = await rest.create({ destination_url, auto_meta: true, ...fields });
  expect([answer.status, answer.body.destination_url]).toEqual([201, destination_url]);
  return { ...answer.body, tookMs: performance.now() - startedAt };
}

describe('"`title` and `description` that were not sent are read from the destination page"', () => {
  test.each([
    ['Open Graph', '/og', 'OG & title', 'OG text'],
    ['Twitter card', '/twitter', 'TW', 'TW text'],
    ['<title>, meta description', '/plain', 'Plain title', 'Plain text'],
    ['"the page’s own charset"', '/windows-1251', 'Привет', null],
    ['undeclared Windows-1252', '/undeclared', 'Grüße', null],
    ['a redirect in raw UTF-8', '/raw-location', 'Raw', null],
    ['compressed', '/gzip', 'Zipped', null],
    ['cut to what a link may hold', '/long', 'x'.repeat(200), '😀'.repeat(1_000)],
    ['three redirects', '/hop1', 'Plain title', 'Plain text'],
  ])('%s', async (_what, path, title, description) => {
    expect(await previewOf(base + path)).toMatchObject({ title, description });
  });
  test('a field that was sent is kept, even if empty, and null counts as not sent', async () => {
    expect(await previewOf(`${base}/og`, { title: 'Mine' })).toMatchObject({ title: 'Mine', description: 'OG text' });
    expect(await previewOf(`${base}/og`, { title: '' })).toMatchObject({ title: null, description: 'OG text' });
    expect(await previewOf(`${base}/og`, { title: null })).toMatchObject({
      title: 'OG & title',
      description: 'OG text',
    });
    seen.length = 0;
    expect(await previewOf(`${base}/og`, { title: 'Mine', description: 'Mine' })).toMatchObject({
      description: 'Mine',
    });
    expect(seen).toHaveLength(0);
  });
  test('nothing is fetched by default', async () => {
    seen.length = 0;
    expect((await rest.create({ destination_url: `${base}/og` })).body.title).toBeNull();
    expect(seen).toHaveLength(0);
  });
});

describe('"It never makes the creation fail: what cannot be read … stays null"', () => {
  test.each(['/json', '/damaged', '/error', '/none', '/hop0', '/private', '/metadata', '/file', '/late'])(
    '%s',
    async (path) => {
      expect(await previewOf(base + path)).toMatchObject({ title: null, description: null });
    },
  );
  test('after 3 seconds, in a response within 5', async () => {
    const link = await previewOf(`${base}/never`);
    expect(link.title).toBeNull();
    expect(link.tookMs).toBeGreaterThan(2_500);
    expect(link.tookMs).toBeLessThan(5_000);
  });
  test.each([
    ...[
      'http://10.0.0.1/',
      'http://192.168.0.1/',
      'http://172.16.0.1/',
      'http://169.254.169.254/',
      'http://100.64.0.1/',
      'http://0.0.0.0/',
    ],
    ...[
      'http://[::1]/',
      'http://[fe80::1]/',
      'http://[fc00::1]/',
      'http://[::ffff:10.0.0.1]/',
      'http://[64:ff9b::a00:1]/',
      'http://[2002:a00:1::]/',
    ],
    ...[
      'http://167772161/',
      'http://0xa000001/',
      'http://224.0.0.1/',
      'http://192.0.2.1/',
      'http://255.255.255.255/',
      'http://nowhere.invalid/',
    ],
  ])('a destination that is not public is refused at once: %s', async (url) => {
    const link = await previewOf(url);
    expect([link.title, link.description]).toEqual([null, null]);
  });
});

test('docs/api.md, auto_meta: "no cookies, no credentials, a plain User-Agent that names the service"', async () => {
  seen.length = 0;
  await previewOf(`${base}/cookie`);
  expect(seen.map(({ url }) => url)).toEqual(['/cookie', '/plain']);
  for (const { headers } of seen) {
    expect(headers['user-agent']).toMatch(/waymark/i);
    for (const name of [
      'cookie',
      'authorization',
      'referer',
      'x-forwarded-for',
      'x-request-id',
      'x-waymark-identity',
    ]) {
      expect(headers[name], name).toBeUndefined();
    }
  }
});
