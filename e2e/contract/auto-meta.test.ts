import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { api, createAccount } from '../support/world.ts';

// docs/api.md, auto_meta, as a client sees it. The stack's AUTO_META_ALLOW permits 127.0.0.0/8. What is read from which
// page, and which addresses are refused, is in apps/links-svc (previews).

const rest = api((await createAccount()).live);
const seen: IncomingMessage[] = [];
const page =
  (head: string): RequestListener =>
  (_request, response) =>
    void response.setHeader('content-type', 'text/html; charset=utf-8').end(`<html><head>${head}</head></html>`);
const PAGES: Record<string, RequestListener> = {
  '/og': page('<meta property="og:title" content="OG &amp; title"><meta property="og:description" content="Text">'),
  '/long': page(`<title>${'x'.repeat(500)}</title><meta name="description" content="${'😀'.repeat(2_000)}">`),
  '/error': (_request, response) =>
    void response.writeHead(500, { 'content-type': 'text/html' }).end('<title>Error</title>'),
  '/metadata': (_request, response) =>
    void response.writeHead(302, { location: 'http://169.254.169.254/latest/meta-data/' }).end(),
  '/never': () => {},
};
const server = createServer((request, response) => {
  seen.push(request);
  PAGES[request.url!]!(request, response);
});
let base: string;
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
beforeEach(() => {
  seen.length = 0;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

async function previewOf(destination_url: string, fields: object = { auto_meta: true }) {
  const { status, body } = await rest.create({ destination_url, ...fields });
  expect([status, body.destination_url]).toEqual([201, destination_url]);
  return [body.title, body.description];
}

test('title and description that were not sent are read from the page, cut to what a link may hold', async () => {
  expect(await previewOf(`${base}/og`)).toEqual(['OG & title', 'Text']);
  expect(await previewOf(`${base}/long`)).toEqual(['x'.repeat(200), '😀'.repeat(1_000)]);
});

test('a field that was sent is kept, even if empty, and null counts as not sent', async () => {
  const meta = (fields: object) => previewOf(`${base}/og`, { auto_meta: true, ...fields });
  expect(await meta({ title: 'Mine' })).toEqual(['Mine', 'Text']);
  expect(await meta({ title: '' })).toEqual([null, 'Text']);
  expect(await meta({ title: null })).toEqual(['OG & title', 'Text']);
});

test('nothing is fetched by default, or when both were sent', async () => {
  expect(await previewOf(`${base}/og`, {})).toEqual([null, null]);
  expect(await previewOf(`${base}/og`, { auto_meta: true, title: 'Mine', description: 'Mine' })).toEqual([
    'Mine',
    'Mine',
  ]);
  expect(seen).toEqual([]);
});

test('what cannot be read stays null and never makes the creation fail', async () => {
  for (const url of [
    ...['/error', '/metadata', '/never'].map((path) => base + path),
    ...['http://10.0.0.1/', 'http://[::1]/', 'http://nowhere.invalid/'],
  ])
    expect([url, await previewOf(url)]).toEqual([url, [null, null]]);
});

test('the page learns nothing about the user', async () => {
  await previewOf(`${base}/og`);
  expect(seen[0]!.headers['user-agent']).toMatch(/waymark/i);
  for (const name of ['cookie', 'authorization', 'referer', 'x-forwarded-for', 'x-request-id', 'x-waymark-identity'])
    expect(seen[0]!.headers[name], name).toBeUndefined();
});
