import { join } from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { request } from 'undici';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { errorOf, startGateway, type TestGateway } from './gateway.ts';

let gateway: TestGateway;
let page: string;
let scripts: string[];
beforeAll(async () => {
  gateway = await startGateway();
  page = await (await gateway.get('/app/')).text();
  scripts = [...page.matchAll(/<script[^>]* src="([^"]*)"/g)].map(([, url]) => url!);
});
afterAll(() => gateway.close());

const NAVIGATION = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };

describe('the page', () => {
  test('is served at /app/, where /app redirects, without a key', async () => {
    const redirect = await gateway.get('/app?q=x');
    expect([redirect.status, redirect.headers.get('location')]).toEqual([302, '/app/?q=x']);
    const response = await gateway.get('/app/');
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(response.headers.get('cache-control')).toBe('no-cache');
    expect(page).toContain('<div id="root">');
    expect(page).toContain('<meta name="public-url" content="https://go.example" />');
  });

  test('is the answer to a navigation to any path below /app/', async () => {
    for (const path of ['/app/links?q=sale', '/app/analytics', '/app/no/such/view']) {
      const response = await gateway.get(path, undefined, NAVIGATION);
      expect([response.status, await response.text()], path).toEqual([200, page]);
    }
  });

  test('is not the answer to other requests: they get a 404', async () => {
    for (const [path, headers] of [
      ['/app/no-file.js', { accept: '*/*' }],
      ['/app/assets/index-old.js', NAVIGATION],
      ['/app/..%2fpackage.json', { accept: '*/*' }],
      ['/app/assets/..%2f..%2fpackage.json', NAVIGATION],
    ] as const) {
      const response = await gateway.get(path, undefined, headers);
      expect([response.status, await errorOf(response)], path).toEqual([404, expect.any(String)]);
    }
  });

  test('loads nothing from elsewhere, and nothing is inline', () => {
    const loaded = [...page.matchAll(/<(?:script|link|img|iframe)[^>]* (?:src|href)="([^"]*)"/g)];
    expect(loaded.length).toBeGreaterThan(2);
    for (const [, url] of loaded) expect(url).toMatch(/^(\/app\/assets\/[\w.-]+|\/favicon\.ico)$/);
    expect(page).not.toMatch(/<style|style=|<script>| on\w+=/);
  });
});

test('the page has the command that makes a sign-in link, if the operator names one', async () => {
  const pageOf = async (one: TestGateway) => (await one.get('/app/')).text();
  expect(await pageOf(gateway)).toContain('<meta name="sign-in-command" content="" />');
  const other = await startGateway({ SIGN_IN_COMMAND: `DATA_DIR='/a "b" <$&' admin account sign-in-link --username` });
  expect(await pageOf(other)).toContain(
    `<meta name="sign-in-command" content="DATA_DIR='/a &quot;b&quot; &lt;$&amp;' admin account sign-in-link --username" />`,
  );
  await other.close();
});

describe('with a brand', () => {
  let branded: TestGateway;
  beforeAll(async () => {
    const BRAND_LOGO = join(import.meta.dirname, 'logo-of-brand.svg');
    branded = await startGateway({ BRAND_NAME: 'Ex & <b>"$&"', BRAND_LOGO, BRAND_COLOR: '#FFEE00' });
  });
  afterAll(() => branded.close());

  test('the page has its name, escaped, and its style sheet, which is a hashed file', async () => {
    const html = await (await branded.get('/app/')).text();
    const name = 'Ex &amp; &lt;b>&quot;$&amp;&quot;';
    for (const part of [
      `<title>${name}</title>`,
      `<span translate="no">${name}</span>`,
      'name="brand-logo" content="yes"',
    ])
      expect(html).toContain(part);
    expect(html).toContain(`<meta name="brand-name" content="${name}" />`);
    const [, path] = /<link rel="stylesheet" href="([^"]+)" \/>\s*<\/head>/.exec(html)!;
    const style = await branded.get(path!);
    expect([style.status, style.headers.get('content-type'), style.headers.get('cache-control')]).toEqual([
      200,
      'text/css; charset=utf-8',
      'public, max-age=31536000, immutable',
    ]);
    // The color is too light for text on white, and wide logos have their room before they are loaded.
    const css = await style.text();
    expect(css).toMatch(/:root:root \{ --accent: light-dark\(#[0-9a-f]{6}, #ffee00\);/);
    expect(css).toContain('.shell-brand img { inline-size: 84px;');
  });

  test('without one the page is Waymark’s', async () => {
    expect(page).toContain('<title>Waymark</title>');
    expect(page).toContain('<meta name="brand-name" content="Waymark" />');
    expect(page).toContain('<meta name="brand-logo" content="" />');
    const stylesOf = (html: string) => html.match(/rel="stylesheet"/g)!.length;
    const brandedPage = await (await branded.get('/app/')).text();
    expect(stylesOf(page)).toBe(stylesOf(brandedPage) - 1);
  });
});

test('every file has the headers that stop injected scripts, framing and leaks', async () => {
  for (const path of ['/app/', ...scripts]) {
    const { headers } = await gateway.get(path);
    const policy = headers.get('content-security-policy')!;
    expect(policy, path).toContain("default-src 'none'");
    for (const directive of ["frame-ancestors 'none'", "form-action 'none'", "base-uri 'none'", "connect-src 'self'"]) {
      expect(policy, path).toContain(directive);
    }
    expect(policy, path).toContain("require-trusted-types-for 'script'");
    expect(policy, path).not.toMatch(/unsafe|data:|https?:|\*/);
    expect(headers.get('referrer-policy'), path).toBe('no-referrer');
    expect(headers.get('x-content-type-options'), path).toBe('nosniff');
    expect(headers.get('access-control-allow-origin'), path).toBeNull();
  }
});

test('hashed files are kept for a year, and travel compressed as the client asks', async () => {
  expect(scripts.length).toBeGreaterThan(0);
  for (const path of scripts) {
    const plain = await request(gateway.url + path);
    expect(plain.headers['cache-control'], path).toBe('public, max-age=31536000, immutable');
    expect(plain.headers['content-type'], path).toBe('text/javascript; charset=utf-8');
    expect(plain.headers.vary, path).toBe('Accept-Encoding');
    const content = Buffer.from(await plain.body.arrayBuffer());
    for (const [accepted, encoding, decode] of [
      ['gzip, deflate, br', 'br', brotliDecompressSync],
      ['gzip;q=1.0, br;q=0', 'gzip', gunzipSync],
      ['br;q=0.0, identity', undefined, (same: Buffer) => same],
    ] as const) {
      const { headers, body } = await request(gateway.url + path, { headers: { 'accept-encoding': accepted } });
      expect(headers['content-encoding'], accepted).toBe(encoding);
      expect(decode(Buffer.from(await body.arrayBuffer())).equals(content), accepted).toBe(true);
    }
  }
});

test('a copy that a browser has is not sent again, and HEAD works', async () => {
  for (const path of ['/app/', ...scripts]) {
    const etag = (await gateway.get(path)).headers.get('etag')!;
    const again = await gateway.get(path, undefined, { 'if-none-match': etag });
    expect([again.status, await again.text()], path).toEqual([304, '']);
    const head = await fetch(gateway.url + path, { method: 'HEAD' });
    expect([head.status, await head.text()], path).toEqual([200, '']);
  }
});
