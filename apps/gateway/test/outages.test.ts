import { afterEach, beforeEach, expect, test } from 'vitest';
import { errorOf, startGateway, type TestGateway } from './gateway.ts';

let gateway: TestGateway;
let key: string;
beforeEach(async () => {
  gateway = await startGateway();
  key = gateway.accounts.addKey({ username: 'ada' });
});
afterEach(() => gateway.close());

/** Asserts a 503, as JSON, with `Retry-After` and without addresses (docs/api.md, Errors). */
async function expectUnavailable(answer: Promise<Response>): Promise<void> {
  const response = await answer;
  expect(response.status).toBe(503);
  expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(await errorOf(response)).not.toMatch(/127\.0\.0\.1|:\d{4}|ECONN|undici/i);
}

test('the gateway responds with 503 and Retry-After when a service refuses connections', async () => {
  await gateway.links.close();
  await expectUnavailable(gateway.get('/api/v1/me', key));
  await expectUnavailable(gateway.get('/abc'));
  await expectUnavailable(fetch(`${gateway.url}/abc`, { method: 'POST', body: 'password=x' }));
});

test('a broken connection to a service gives 503; a read is retried once, a write and a click are not', async () => {
  let requests = 0;
  const breakOff = (request: { socket: { destroy(): void } }) => {
    requests++;
    request.socket.destroy();
  };
  for (const path of ['/api/v1/links', '/abc']) gateway.links.on(path, breakOff);
  await expectUnavailable(gateway.get('/api/v1/links', key));
  expect(requests).toBe(2);
  await expectUnavailable(
    fetch(`${gateway.url}/api/v1/links`, { method: 'POST', body: '{}', headers: { authorization: `Bearer ${key}` } }),
  );
  expect(requests).toBe(3);
  await expectUnavailable(gateway.get('/abc'));
  expect(requests).toBe(4);
});

test('a read whose connection broke once succeeds on the retry', async () => {
  let requests = 0;
  gateway.links.on('/api/v1/me', (request, response) => {
    if (++requests === 1) request.socket.destroy();
    else response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  });
  expect((await gateway.get('/api/v1/me', key)).status).toBe(200);
});

test('no response, and a short one that does not end, give 503; a long one that never ends is broken off', async () => {
  for (const path of ['/api/v1/me', '/silent']) gateway.links.on(path, () => {});
  gateway.links.on('/short', (_, response) => void response.writeHead(200, { 'content-length': '10' }).write('x'));
  gateway.links.on('/long', (_, response) => void response.writeHead(200).write('x'));
  await Promise.all([
    expectUnavailable(gateway.get('/api/v1/me', key)),
    expectUnavailable(gateway.get('/silent')),
    expectUnavailable(gateway.get('/short')),
    expect(gateway.get('/long').then((response) => response.text())).rejects.toThrow(),
  ]);
});

test('a service that breaks off within a short response gives 503 and no partial response', async () => {
  gateway.links.on('/api/v1/me', (_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
    response.write('{"half":');
    setTimeout(() => response.destroy(), 50);
  });
  await expectUnavailable(gateway.get('/api/v1/me', key));
});

test.each([
  ['with a length', { 'content-length': '100000' }],
  ['in chunks', {}],
])('a long response that breaks off, %s, is not sent again and does not look complete', async (_how, headers) => {
  let requests = 0;
  gateway.links.on('/api/v1/me', (_request, response) => {
    requests++;
    response.writeHead(200, { 'content-type': 'application/json', ...headers });
    response.write('{"half":');
    setTimeout(() => response.destroy(), 50);
  });
  await expect(gateway.get('/api/v1/me', key).then((response) => response.text())).rejects.toThrow();
  expect(requests).toBe(1);
});

test('a 503 of a service is forwarded and not retried', async () => {
  let requests = 0;
  gateway.links.on('/api/v1/me', (_request, response) => {
    requests++;
    response.writeHead(503, { 'content-type': 'application/json', 'retry-after': '1' }).end('{"error":"Down."}');
  });
  await expectUnavailable(gateway.get('/api/v1/me', key));
  expect(requests).toBe(1);
});

test('a failed key lookup gives 503; a missing key still gives 401', async () => {
  await gateway.accounts.close();
  await expectUnavailable(gateway.get('/api/v1/me', key));
  await expectUnavailable(gateway.get('/mcp', key));
  expect((await gateway.get('/api/v1/me')).status).toBe(401);
});

test('a key lookup that hangs gives 503', async () => {
  gateway.accounts.delayMs = 3000;
  await expectUnavailable(gateway.get('/api/v1/me', key));
});

test('/readyz responds with 200 if every service can serve, else with 503 and the names of those that cannot', async () => {
  const ready = await gateway.get('/readyz');
  expect([ready.status, await ready.json()]).toEqual([
    200,
    {
      status: 'ready',
      checks: { 'links-svc': 'ok', 'analytics-svc': 'ok', 'mcp-svc': 'ok', clocks: 'ok', keys: 'ok' },
    },
  ]);
  const date = new Date(Date.now() - 120_000).toUTCString();
  gateway.mcp.on('/livez', (_request, response) => void response.writeHead(200, { date }).end());
  await new Promise((resolve) => setTimeout(resolve, 1050));
  const differ = await gateway.get('/readyz');
  expect([differ.status, await errorOf(differ)]).toEqual([
    503,
    expect.stringMatching(
      /^Not ready: clocks\. Clocks differ by more than 60 seconds: compared with the gateway, mcp-svc is 12[0-3] seconds behind\. Set them to the same time\.$/,
    ),
  ]);
  gateway.analytics.on('/readyz', (_request, response) => void response.writeHead(503).end());
  await gateway.mcp.close();
  gateway.links.on('/readyz', () => {});
  await new Promise((resolve) => setTimeout(resolve, 1050));
  const response = await gateway.get('/readyz');
  expect(response.status).toBe(503);
  expect(await errorOf(response)).toBe('Not ready: links-svc, analytics-svc, mcp-svc.');
  expect((await gateway.get('/livez')).status).toBe(200);
  expect((await gateway.get('/healthz')).status).toBe(200);
});
