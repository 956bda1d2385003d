// docs/api.md, Redirects. apps/links-svc/test/redirects-by-host.test.ts has what visitors of links get.
import { request } from 'node:http';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { startGateway, type TestGateway } from './gateway.ts';

const SHORT = 'go.brand.example';
const BARE = 'bare.brand.example';
const ROOT = 'https://root.example/';
const MISSING = 'https://missing.example/';

let gateway: TestGateway;
let key: string;
beforeAll(async () => {
  gateway = await startGateway();
  key = gateway.accounts.addKey({ username: 'ada' });
  gateway.accounts.shortHosts.set(SHORT, { rootLocation: ROOT, notFoundLocation: MISSING });
  gateway.accounts.shortHosts.set(BARE, {});
});
afterAll(() => gateway.close());

interface Response {
  status: number;
  location: string | undefined;
  type: string | undefined;
}

function send(host: string, path: string, method = 'GET', headers: Record<string, string> = {}): Promise<Response> {
  return new Promise((resolve, reject) => {
    const all = { authorization: `Bearer ${key}`, accept: 'text/html', ...headers, host };
    const sent = request({ port: gateway.port, path, method, headers: all, setHost: false }, (response) => {
      const { location, 'content-type': type } = response.headers;
      response.resume().on('end', () => resolve({ status: response.statusCode!, location, type }));
    });
    sent.on('error', reject).end();
  });
}

const PATHS = ['/api/v1/links', '/api/v1/me', '/api', '/mcp', '/docs', '/openapi.json', '/app/', '/readyz'];
const OTHERS = ['/a/b', '/.well-known/x', '/.x', '/%2e', '/..%2fapi', '/register', '/%zz'];

test('on a short host there is neither API nor dashboard nor documents, with any key, method and spelling of the host', async () => {
  gateway.links.received.length = 0;
  for (const path of [...PATHS, ...OTHERS])
    for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS']) {
      // A password form: links-svc answers it by the host.
      if (method === 'POST' && /^\/(docs|readyz|app\/)$/.test(path)) continue;
      const { status, location } = await send(SHORT, path, method, { origin: 'https://x.example' });
      expect([method, path, status, location]).toEqual([method, path, 302, MISSING]);
      expect([method, path, (await send(BARE, path, method)).status]).toEqual([method, path, 404]);
    }
  expect(gateway.links.received).toEqual([]);
  expect(await send(SHORT, '/?x=1')).toMatchObject({ status: 302, location: ROOT });
  expect(await send(BARE, '/')).toMatchObject({ status: 404 });
  for (const host of [SHORT, BARE])
    expect(await send(host, '/robots.txt')).toMatchObject({ status: 200, type: 'text/plain; charset=utf-8' });
});

test('requests for links go to links-svc with the host that the client asked for, and no other claim of a host', async () => {
  for (const host of [SHORT, SHORT.toUpperCase(), `${BARE}:8443`, 'go.example', 'unknown.example', 'localhost']) {
    gateway.links.received.length = 0;
    const forged = { 'x-forwarded-host': BARE, 'x-forwarded-for': '9.9.9.9', forwarded: `host=${BARE}` };
    for (const method of ['GET', 'HEAD', 'POST']) await send(host, '/Sale', method, forged);
    expect(gateway.links.received.map(({ headers }) => headers.host)).toEqual([host, host, host]);
    for (const { headers } of gateway.links.received) expect(headers).not.toHaveProperty('x-forwarded-host');
    for (const { headers } of gateway.links.received) expect(headers).not.toHaveProperty('forwarded');
  }
});

test('other hosts are the default host, and an address or the default host asks nobody', async () => {
  const { accounts } = gateway;
  await send('go.example', '/api/v1/me');
  const before = accounts.lookups;
  for (const host of [
    'go.example',
    '127.0.0.1:8080',
    '10.0.0.1',
    'localhost:1',
    '[::1]:80',
    'gateway',
    '',
    'a'.repeat(300),
  ])
    expect([host, (await send(host, '/openapi.json')).status]).toEqual([host, 200]);
  expect(accounts.lookups).toBe(before);
  for (let n = 0; n < 5; n++) expect((await send('unknown.example', '/openapi.json')).status).toBe(200);
  expect(accounts.lookups).toBe(before + 1);
  expect((await send(SHORT, '/openapi.json', 'GET', { 'x-forwarded-host': 'go.example' })).status).toBe(302);
});

test('on a short host that is not verified there is nothing, robots.txt neither', async () => {
  gateway.accounts.shortHosts.set('wait.brand.example', { isVerified: false });
  for (const path of ['/', '/robots.txt', '/favicon.ico/', '/docs', '/api/v1/me', '/a/b'])
    expect([path, (await send('wait.brand.example', path)).status]).toEqual([path, 404]);
});

test('links-svc answers for the logo of any host', async () => {
  gateway.links.received.length = 0;
  for (const host of [SHORT, 'go.example', 'wait.brand.example']) await send(host, '/favicon.ico?v=1');
  const urls = gateway.links.received.map(({ url, headers }) => [headers.host, url]);
  expect(urls).toEqual([SHORT, 'go.example', 'wait.brand.example'].map((host) => [host, '/favicon.ico?v=1']));
});

test('"/" of a host that is refused is 421, and what is no link is served', async () => {
  gateway.accounts.refusesUnknownHosts = true;
  const hosts = [
    'none.example',
    'NONE.example:80',
    '127.0.0.2',
    '10.0.0.1:8080',
    'nobody',
    '[::2]:80',
    '',
    'a'.repeat(300),
  ];
  for (const host of hosts) {
    for (const path of ['/', '/?x'])
      for (const method of ['GET', 'HEAD'])
        expect([host, path, (await send(host, path, method)).status]).toEqual([host, path, 421]);
    expect([host, (await send(host, '/openapi.json')).status]).toEqual([host, 200]);
    // links-svc answers it by the host, like each path of one segment.
    gateway.links.received.length = 0;
    for (const path of ['/robots.txt', '/favicon.ico', '/Sale']) await send(host, path);
    expect(gateway.links.received.map(({ url }) => url)).toEqual(['/robots.txt', '/favicon.ico', '/Sale']);
  }
  for (const host of [SHORT, 'go.example']) expect((await send(host, '/')).status).toBe(302);
  gateway.accounts.refusesUnknownHosts = false;
  await vi.waitFor(async () => expect((await send('none.example', '/')).status).toBe(302), { timeout: 30_000 });
});

test('a flood of made-up hosts costs few calls, takes no short host from the cache and is served', async () => {
  const { accounts } = gateway;
  await send(SHORT, '/openapi.json');
  const before = accounts.lookups;
  accounts.delayMs = 300;
  const names = Array.from({ length: 300 }, (_, n) => `made-up-${n}.example`);
  const flood = await Promise.all(names.map((name) => send(name, '/openapi.json')));
  accounts.delayMs = 0;
  expect(new Set(flood.map(({ status }) => status))).toEqual(new Set([200]));
  expect(accounts.lookups - before).toBeLessThan(names.length / 10);
  expect((await send(SHORT, '/openapi.json')).status).toBe(302);
});

test('a host that is no short host any more is the default host soon, and an outage of links-svc changes nothing', async () => {
  const { accounts } = gateway;
  accounts.shortHosts.set('soon.example', {});
  expect((await send('soon.example', '/openapi.json')).status).toBe(404);
  accounts.failing = true;
  await new Promise((resolve) => setTimeout(resolve, 1_100));
  expect((await send('soon.example', '/openapi.json')).status).toBe(404);
  expect((await send('new.example', '/openapi.json')).status).toBe(200);
  accounts.failing = false;
  accounts.shortHosts.delete('soon.example');
  await vi.waitFor(async () => expect((await send('soon.example', '/openapi.json')).status).toBe(200), {
    timeout: 30_000,
  });
});
