import { openApiDocument } from '@waymark/contract';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startGateway, type TestGateway } from './gateway.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.close());

test('GET /docs (a page to read and try it), without a key: every operation of the document is on it', async () => {
  const response = await gateway.get('/docs');
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
  const page = await response.text();
  for (const [path, item] of Object.entries(openApiDocument('https://go.example').paths)) {
    for (const [method, operation] of Object.entries(item)) {
      if (method === 'parameters') continue;
      const { operationId } = operation as { operationId: string };
      expect(page).toContain(`<article id="${operationId}">`);
      if (path.startsWith('/api/')) expect(page).toContain(`data-method="${method.toUpperCase()}" data-path="${path}"`);
    }
  }
});

test('the page needs nothing from elsewhere: all it loads is served here, nothing is inline', async () => {
  const response = await gateway.get('/docs');
  const page = await response.text();
  const loaded = [...page.matchAll(/<(?:script|link|img|iframe)[^>]* (?:src|href)="([^"]*)"/g)].map(([, url]) => url!);
  expect(loaded).toEqual(['data:,', '/docs/docs.css', '/docs/docs.js']);
  expect(page).not.toMatch(/<style|style=|<script>| on\w+=/);
  const policy = response.headers.get('content-security-policy')!;
  expect(policy).toContain("default-src 'none'");
  expect(policy).not.toContain('unsafe');
  for (const path of ['/docs/docs.css', '/docs/docs.js']) {
    const asset = await gateway.get(path);
    expect(asset.status).toBe(200);
    expect(await asset.text()).not.toMatch(/https?:\/\/|@import|url\(/);
  }
});

test('a copy that a browser has is not sent again', async () => {
  const etag = (await gateway.get('/docs')).headers.get('etag')!;
  const again = await gateway.get('/docs', undefined, { 'if-none-match': etag });
  expect([again.status, await again.text()]).toEqual([304, '']);
});

test('what the document says is text on the page, never markup', async () => {
  const { html } = await import('../src/docs/html.ts');
  expect(html`<p title="${'"'}">${'<script>'}${['&', html`<b>`]}</p>`.text).toBe(
    '<p title="&#34;">&#60;script&#62;&#38;<b></p>',
  );
});

test('GET / leads to the page', async () => {
  const response = await gateway.get('/');
  expect([response.status, response.headers.get('location')]).toEqual([302, '/docs']);
});

test('HEAD works where GET does', async () => {
  for (const path of ['/openapi.json', '/docs', '/livez', '/readyz']) {
    const response = await fetch(gateway.url + path, { method: 'HEAD' });
    expect([response.status, await response.text()], path).toEqual([200, '']);
  }
});
