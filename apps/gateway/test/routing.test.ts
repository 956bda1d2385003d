import { IDENTITY_HEADER } from '@waymark/proto';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Received } from './fake-service.ts';
import { errorOf, sendRaw, startGateway, type TestGateway, verifier } from './gateway.ts';

/** Bodies that no path of the gateway reads, some of them malformed. */
const BODIES = [
  ['application/json', '{"redirect_uris":["http://localhost:1/callback"]}'],
  ['application/json', '{'],
  ['application/json', ''],
  ['application/x-www-form-urlencoded', 'grant_type=client_credentials'],
  ['text/plain', 'x'.repeat(70_000)],
] as const;

let gateway: TestGateway;
let key: string;
beforeAll(async () => {
  gateway = await startGateway();
  key = gateway.accounts.addKey({ username: 'ada' });
});
afterAll(() => gateway.close());
beforeEach(() => {
  for (const service of [gateway.links, gateway.analytics, gateway.mcp]) service.received.length = 0;
});

test.each([
  ['/api/v1/me', 'links'],
  ['/api/v1/links', 'links'],
  ['/api/v1/links?q=a%20b&q=c&page=2', 'links'],
  ['/api/v1/links/019a4f0e', 'links'],
  ['/api/v1/links/019a/other', 'links'],
  ['/api/v1/analytics?days=7&tz=Europe%2FBerlin', 'analytics'],
  ['/mcp', 'mcp'],
] as const)('%s goes to %s unchanged, with a signed identity instead of the key', async (path, service) => {
  const response = await gateway.get(path, key);
  expect(response.status).toBe(200);
  const received = (await response.json()) as Received;
  expect(received.url).toBe(path);
  expect(received.headers.authorization).toBeUndefined();
  expect(await verifier.verify(received.headers[IDENTITY_HEADER] as string)).toEqual({
    kind: 'account',
    accountId: 'id-ada',
    username: 'ada',
    plan: 'developer',
    scope: 'full_access',
  });
  expect(gateway[service].received).toHaveLength(1);
});

test('GET, HEAD and POST of /{slug} go to links-svc with an unchanged query and no identity', async () => {
  const got = (await (await gateway.get('/Summer-Sale?utm_source=x&a=%E4%B8%AD', key)).json()) as Received;
  expect(got.url).toBe('/Summer-Sale?utm_source=x&a=%E4%B8%AD');
  expect(got.headers[IDENTITY_HEADER]).toBeUndefined();
  expect(got.headers.authorization).toBeUndefined();
  expect((await fetch(`${gateway.url}/abc`, { method: 'HEAD' })).status).toBe(200);
  const posted = await fetch(`${gateway.url}/abc`, { method: 'POST', body: new URLSearchParams({ password: 'p' }) });
  expect(((await posted.json()) as Received).body).toBe('password=p');
  expect(gateway.links.received.map(({ method }) => method)).toEqual(['GET', 'HEAD', 'POST']);
});

test('responses of a service keep status, headers and body, without internal headers', async () => {
  gateway.links.on('/api/v1/links/created', (_request, response) => {
    response.writeHead(201, { location: '/api/v1/links/1', 'content-type': 'application/json', 'x-waymark-a': 'b' });
    response.end('{"id":"1"}');
  });
  gateway.links.on('/moved', (_request, response) => {
    response.writeHead(302, { location: 'https://example.com/?a=b', 'cache-control': 'no-store' }).end();
  });
  gateway.links.on('/api/v1/links/gone', (_request, response) => void response.writeHead(204).end());
  const created = await gateway.get('/api/v1/links/created', key);
  expect([created.status, created.headers.get('location'), await created.text()]).toEqual([
    201,
    '/api/v1/links/1',
    '{"id":"1"}',
  ]);
  expect(created.headers.get('x-waymark-a')).toBeNull();
  const moved = await gateway.get('/moved');
  expect([moved.status, moved.headers.get('location'), moved.headers.get('cache-control')]).toEqual([
    302,
    'https://example.com/?a=b',
    'no-store',
  ]);
  expect((await gateway.get('/api/v1/links/gone', key)).status).toBe(204);
});

test.each([
  ['an empty', Buffer.alloc(0)],
  ['an ASCII', Buffer.from('{"title":"Summer"}')],
  ['a UTF-8', Buffer.from('{"title":"Sömmer 🌞"}')],
  ['a binary', Buffer.from([0x89, 0xff, 0x00, 0x0d, 0x0a])],
  ['a long', Buffer.alloc(300_000, 'ü')],
])('%s body of a response arrives byte by byte, in pieces or whole', async (_, body) => {
  for (const pieces of [[body], [body.subarray(0, 3), body.subarray(3)]]) {
    gateway.links.on('/api/v1/links/body', (_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length });
      for (const piece of pieces) response.write(piece);
      response.end();
    });
    const response = await gateway.get('/api/v1/links/body', key);
    expect(response.headers.get('content-type')).toBe('application/json');
    expect(response.headers.get('content-length')).toBe(String(body.length));
    expect(Buffer.from(await response.arrayBuffer()).equals(body)).toBe(true);
  }
});

test('what a service says before its response is not taken for it', async () => {
  gateway.links.on('/api/v1/links/hints', (_request, response) => {
    response.writeEarlyHints({ link: '</style.css>; rel=preload' }, () => response.writeHead(201).end('made'));
  });
  const response = await gateway.get('/api/v1/links/hints', key);
  expect([response.status, response.headers.get('link'), await response.text()]).toEqual([201, null, 'made']);
});

test('HEAD works where GET does and returns its headers, including the length, without a body', async () => {
  gateway.links.on('/api/v1/links/long', (_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1234' }).end('x'.repeat(1234));
  });
  for (const method of ['GET', 'HEAD']) {
    const headers = { authorization: `Bearer ${key}` };
    const response = await fetch(`${gateway.url}/api/v1/links/long`, { method, headers });
    expect([response.status, response.headers.get('content-length')]).toEqual([200, '1234']);
    expect((await response.text()).length).toBe(method === 'GET' ? 1234 : 0);
  }
});

test('forged identities, forged addresses and hop-by-hop headers do not reach a service', async () => {
  const raw = await sendRaw(
    gateway.port,
    [
      'GET /api/v1/me HTTP/1.1',
      'Host: go.example',
      `Authorization: bearer ${key}`,
      'X-Waymark-Identity: forged',
      'x-WAYMARK-identity: forged again',
      'X-Waymark-Anything: forged',
      'X-Forwarded-For: 203.0.113.9',
      'X-Forwarded-Host: evil.example',
      'Forwarded: for=203.0.113.9',
      'X-Real-IP: 203.0.113.9',
      'TE: trailers',
      'Expect: 100-continue',
      'Upgrade: websocket',
      'X-Listed: 1',
      'Connection: close, x-listed, x-waymark-identity, x-request-id, upgrade',
      '',
      '',
    ].join('\r\n'),
  );
  expect(raw).toContain('200 OK');
  const { headers } = gateway.links.received[0]!;
  expect(await verifier.verify(headers[IDENTITY_HEADER] as string)).toMatchObject({ username: 'ada' });
  expect(headers['x-forwarded-for']).toBe('127.0.0.1');
  expect(headers.host).toBe('go.example');
  const passed = ['x-waymark-anything', 'x-forwarded-host', 'forwarded', 'x-real-ip', 'te', 'expect', 'upgrade'];
  for (const name of [...passed, 'x-listed', 'authorization']) expect(headers[name], name).toBeUndefined();
});

test('a request to an open route is forwarded without any identity', async () => {
  await gateway.get('/abc', undefined, { 'x-waymark-identity': 'forged' });
  expect(gateway.links.received[0]!.headers[IDENTITY_HEADER]).toBeUndefined();
});

test('the service gets the X-Request-Id of the response', async () => {
  const { headers } = await gateway.get('/api/v1/me', key);
  expect(gateway.links.received[0]!.headers['x-request-id']).toBe(headers.get('x-request-id'));
});

test.each([
  '/a/b',
  '/internal/tls-allowed?domain=go.example',
  '/.well-known/oauth-protected-resource',
  '/register',
  '/token',
  '/authorize',
])('the unknown path %s gets a JSON 404 and does not reach a service', async (path) => {
  const response = await gateway.get(path, key, { accept: 'text/html' });
  expect(response.status).toBe(404);
  await errorOf(response);
  expect(gateway.links.received).toHaveLength(0);
});

test.each(['/api/v1/me', '/api/v1/links', '/api/v1/links/019a4f0e', '/api/v1/analytics', '/mcp'])(
  '%s/ works like the path without the slash: it needs a key, counts its requests and reaches the same service',
  async (path) => {
    const limited = await startGateway({ RATE_LIMIT_PER_MINUTE: 2 });
    try {
      const limitedKey = limited.accounts.addKey({ username: 'ada' });
      expect((await limited.get(`${path}/`)).status).toBe(401);
      expect((await limited.get(`${path}/`, `${limitedKey}x`)).status).toBe(401);
      // Of MCP, only calls of tools count.
      const isCounted = path !== '/mcp';
      const sent = [`${path}/?q=1`, path, `${path}/`, path];
      const statuses: number[] = [];
      for (const one of sent) statuses.push((await limited.get(one, limitedKey)).status);
      expect(statuses).toEqual(isCounted ? [200, 200, 429, 429] : [200, 200, 200, 200]);
      const received = [limited.links, limited.analytics, limited.mcp].flatMap((service) => service.received);
      expect(received.map(({ url }) => url)).toEqual(isCounted ? sent.slice(0, 2) : sent);
      for (const { headers } of received)
        expect(await verifier.verify(headers[IDENTITY_HEADER] as string)).toMatchObject({ username: 'ada' });
    } finally {
      await limited.close();
    }
  },
);

test('/docs/, /openapi.json/, /api/, /{slug}/ and the health paths work like those without the slash', async () => {
  for (const path of ['/docs', '/openapi.json', '/api', '/abc', '/livez', '/.well-known', '/nowhere/at/all']) {
    const [with_, without] = [await gateway.get(`${path}/`), await gateway.get(path)];
    expect([with_.status, with_.headers.get('content-type')], path).toEqual([
      without.status,
      without.headers.get('content-type'),
    ]);
    if (path !== '/abc') expect(await with_.text(), path).toBe(await without.text());
  }
  expect(gateway.links.received.map(({ url }) => url)).toEqual(['/abc/', '/abc']);
});

test('a request with two Host headers gets 400 on every path and does not reach a service', async () => {
  for (const path of ['/abc', '/abc/', '/api/v1/me', '/mcp', '/docs', '/livez', '/']) {
    const answer = await sendRaw(
      gateway.port,
      `GET ${path} HTTP/1.1\r\nHost: a\r\nHost: b\r\nAuthorization: Bearer ${key}\r\n\r\n`,
    );
    expect(answer, path).toMatch(/^HTTP\/1\.1 400 /);
    expect(answer, path).toMatch(/\{"error":"The request has more than one Host header\."\}$/);
    expect(answer, path).toMatch(/\r\nx-request-id: /i);
  }
  expect(gateway.links.received).toHaveLength(0);
});

test.each([
  '/.well-known',
  '/.well-known/oauth-protected-resource/mcp',
  '/.well-known/oauth-authorization-server',
  '/.well-known/openid-configuration',
  '/register',
  '/token',
  '/authorize',
])('%s, where clients look for OAuth, gives 404 with a message that says why, whatever is sent', async (path) => {
  for (const [type, body] of BODIES) {
    const response = await fetch(`${gateway.url}${path}`, { method: 'POST', headers: { 'content-type': type }, body });
    expect(response.status, type).toBe(404);
    expect(await errorOf(response)).toContain('OAuth is not supported; the API key in the Authorization header');
  }
  for (const sent of [path, `${path}/`, `${path}?response_type=code&client_id=x`])
    for (const method of ['GET', 'POST', 'PUT', 'DELETE', 'OPTIONS']) {
      const response = await fetch(gateway.url + sent, { method, headers: { accept: 'text/html' } });
      expect(response.status, `${method} ${sent}`).toBe(404);
      expect(await errorOf(response)).toContain('OAuth is not supported');
    }
  expect(gateway.links.received).toHaveLength(0);
});

test('an unknown path below /api/ needs a key, then gives 404', async () => {
  expect((await gateway.get('/api/v1/nothing')).status).toBe(401);
  const response = await gateway.get('/api/v1/nothing', key);
  expect(response.status).toBe(404);
  await errorOf(response);
  expect((await fetch(`${gateway.url}/api/v2/links`, { method: 'PATCH' })).status).toBe(401);
});

test.each([
  '/api/v1/links/../me',
  '/api/v1/links/..%2f..%2freadyz',
  '/api/v1/links/%2e%2e/%2e%2e/readyz',
  '/api/v1/links/..\\..\\readyz',
  '/api/v1/links/./me',
  '/api/v1/links/%2e/me',
  '/api/v1/links/a\\me',
  '/api/v1/links/a%5Cme',
  '/%2e',
  '/api/v1/links/%00',
  '/..%2freadyz',
  '//evil.example/api/v1/me',
  'http://evil.example/api/v1/me',
  '/api/v1/links/%zz',
])('an unusual path gives 404 or reaches exactly its own target: %s', async (path) => {
  const answer = await sendRaw(
    gateway.port,
    `GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nConnection: close\r\n\r\n`,
  );
  expect(answer).toMatch(/^HTTP\/1\.1 (404|200) /);
  const reached = gateway.links.received.map(({ url }) => url);
  if (answer.startsWith('HTTP/1.1 200')) expect(reached).toEqual([path]);
  else expect(reached).toEqual([]);
});

test.each([
  ['two lengths', 'Content-Length: 4\r\nContent-Length: 5\r\n\r\nabcde'],
  ['a length and chunks', 'Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /x HTTP/1.1\r\n\r\n'],
  ['an odd coding', 'Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n'],
  ['a space before the colon', 'Content-Length : 4\r\n\r\nabcd'],
  ['a folded header', 'X-A: b\r\n X-Waymark-Identity: forged\r\n\r\n'],
])('a request that two servers could parse differently is refused: %s', async (_what, rest) => {
  const answer = await sendRaw(
    gateway.port,
    `POST /api/v1/links HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n${rest}`,
  );
  expect(answer).toMatch(/^HTTP\/1\.1 4\d\d /);
  expect(answer).toContain('{"error":');
  expect(gateway.links.received).toHaveLength(0);
});

test('the body of a GET is not forwarded and not read as another request', async () => {
  const inner = 'GET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n';
  const answer = await sendRaw(
    gateway.port,
    `GET /api/v1/me HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Length: ${inner.length}\r\n\r\n${inner}`,
  );
  expect(answer).toContain('200 OK');
  expect(gateway.links.received.map(({ url, body }) => [url, body])).toEqual([['/api/v1/me', '']]);
});

test('the address is taken from X-Forwarded-For only through the proxies of TRUST_PROXY', async () => {
  const behindProxy = await startGateway({ TRUST_PROXY: ['127.0.0.1', '10.0.0.0/8'] });
  try {
    for (const [forwarded, address] of [
      ['198.51.100.1, 203.0.113.9, 10.1.2.3', '203.0.113.9'],
      ['203.0.113.9:5001, 10.1.2.3:4444', '203.0.113.9'],
      ['::ffff:203.0.113.9', '203.0.113.9'],
      ['"[2001:DB8::1]:443"', '2001:db8::1'],
      ['203.0.113.9, unknown, 10.1.2.3', '10.1.2.3'],
      ['unknown', '127.0.0.1'],
    ] as const) {
      await behindProxy.get('/abc', undefined, { 'x-forwarded-for': forwarded });
      expect(behindProxy.links.received.at(-1)!.headers['x-forwarded-for']).toBe(address);
    }
  } finally {
    await behindProxy.close();
  }
  await gateway.get('/abc', undefined, { 'x-forwarded-for': '198.51.100.1' });
  expect(gateway.links.received[0]!.headers['x-forwarded-for']).toBe('127.0.0.1');
});
