import { gunzipSync } from 'node:zlib';
import { request } from 'undici';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startGateway, type TestGateway } from './gateway.ts';

const FILES = {
  '/docs/docs.css': 'text/css; charset=utf-8',
  '/docs/docs.js': 'text/javascript; charset=utf-8',
  '/docs/swagger-ui.css': 'text/css; charset=utf-8',
  '/docs/swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
};

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.close());

test('GET /docs is a page, without a key', async () => {
  const response = await gateway.get('/docs');
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
});

test('the page needs nothing from elsewhere: all it loads is served here, nothing is inline', async () => {
  const response = await gateway.get('/docs');
  const page = await response.text();
  const loaded = [...page.matchAll(/<(?:script|link|img|iframe)[^>]* (?:src|href)="([^"]*)"/g)].map(([, url]) => url!);
  expect(new Set(loaded)).toEqual(new Set(['data:,', ...Object.keys(FILES)]));
  expect(page).not.toMatch(/<style|style=|<script>| on\w+=/);
  const policy = response.headers.get('content-security-policy')!;
  expect(policy).toContain("default-src 'none'");
  expect(policy).not.toContain('unsafe');
  for (const [path, type] of Object.entries(FILES)) {
    const file = await gateway.get(path);
    expect([file.status, file.headers.get('content-type')], path).toEqual([200, type]);
    expect(await file.text(), path).not.toBe('');
  }
});

test('the files of Swagger UI travel compressed', async () => {
  const { headers, body } = await request(`${gateway.url}/docs/swagger-ui-bundle.js`);
  expect(headers['content-encoding']).toBe('gzip');
  const compressed = Buffer.from(await body.arrayBuffer());
  expect(Number(headers['content-length'])).toBe(compressed.length);
  expect(compressed.length).toBeLessThan(500_000);
  expect(gunzipSync(compressed).toString()).toContain('SwaggerUIBundle');
});

test('a copy that a browser has is not sent again', async () => {
  for (const path of ['/docs', '/openapi.json', ...Object.keys(FILES)]) {
    const etag = (await gateway.get(path)).headers.get('etag')!;
    const again = await gateway.get(path, undefined, { 'if-none-match': etag });
    expect([again.status, await again.text()], path).toEqual([304, '']);
  }
});

test('GET / leads people to the dashboard, and programs to the page of the API', async () => {
  const people = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };
  for (const [headers, location] of [
    [people, '/app/'],
    [{ accept: '*/*' }, '/docs'],
    [{}, '/docs'],
  ] as const) {
    const response = await gateway.get('/', undefined, headers);
    expect([response.status, response.headers.get('location')]).toEqual([302, location]);
    expect(response.headers.get('vary')).toBe('Accept');
  }
});

test('HEAD works where GET does', async () => {
  for (const path of ['/openapi.json', '/docs', ...Object.keys(FILES), '/livez', '/readyz']) {
    const response = await fetch(gateway.url + path, { method: 'HEAD' });
    expect([response.status, await response.text()], path).toEqual([200, '']);
  }
});
