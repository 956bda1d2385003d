import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { BOUNDS } from '../src/routes.ts';
import type { FakeService } from './fake-service.ts';
import { errorOf, startGateway, type TestGateway } from './gateway.ts';

let gateway: TestGateway;
let ada: string;
let bob: string;
let held: ServerResponse[];
beforeEach(async () => {
  gateway = await startGateway();
  ada = gateway.accounts.addKey({ username: 'ada' });
  bob = gateway.accounts.addKey({ username: 'bob' });
  held = [];
});
afterEach(() => gateway.close());

const ANALYTICS = '/api/v1/analytics';
const EXPORT = '/api/v1/links/export';
const MCP = '/mcp';
const TOOL_CALL = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name: 'get_analytics', arguments: {} },
});

/** Makes a service hold its responses to a path. */
function hold(service: FakeService, path: string): void {
  service.on(path, (_request, response) => void held.push(response));
}

/** Sends requests, and waits until the service has all of them. */
async function fill(count: number, send: (n: number) => Promise<Response>): Promise<Promise<Response>[]> {
  const before = held.length;
  const sent = Array.from({ length: count }, (_, n) => send(n));
  await vi.waitFor(() => expect(held).toHaveLength(before + count), { timeout: 30_000 });
  return sent;
}

const answerAll = () => {
  for (const response of held.splice(0)) response.end('{}');
};

test('an account with too many requests of a kind gets 429 at once, whatever its key, and nobody else waits', async () => {
  hold(gateway.analytics, ANALYTICS);
  const sent = await fill(BOUNDS.analytics.each, () => gateway.get(ANALYTICS, ada));
  const refused = await gateway.get(ANALYTICS, gateway.accounts.addKey({ username: 'ada' }));
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '1']);
  expect(await errorOf(refused)).toBe(`More than ${BOUNDS.analytics.each} such requests at once; wait for a response.`);
  expect(gateway.analytics.received).toHaveLength(BOUNDS.analytics.each);
  for (const path of ['/api/v1/me', '/api/v1/links', '/abc']) expect((await gateway.get(path, ada)).status).toBe(200);
  const others = await fill(1, () => gateway.get(ANALYTICS, bob));
  answerAll();
  for (const one of await Promise.all([...sent, ...others])) expect(one.status).toBe(200);
});

test('an address that sends too many passwords at once gets 503, not the 429 of wrong ones, and redirects do not wait', async () => {
  hold(gateway.links, '/locked');
  const post = () => fetch(`${gateway.url}/locked`, { method: 'POST', body: 'password=x' });
  const sent = await fill(BOUNDS.password.each, post);
  expect((await post()).status).toBe(503);
  expect((await gateway.get('/abc')).status).toBe(200);
  answerAll();
  await Promise.all(sent);
});

test('too many requests of a kind from all accounts give 503 at once', async () => {
  hold(gateway.links, EXPORT);
  const keys = Array.from({ length: BOUNDS.export.all / BOUNDS.export.each }, (_, n) =>
    gateway.accounts.addKey({ username: `user-${n}` }),
  );
  const sent = await fill(BOUNDS.export.all, (n) => gateway.get(EXPORT, keys[n % keys.length]));
  const refused = await gateway.get(EXPORT, ada);
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1']);
  expect(await errorOf(refused)).toBe('The service is too busy right now; try again in a moment.');
  expect((await gateway.get('/api/v1/links', ada)).status).toBe(200);
  answerAll();
  await Promise.all(sent);
});

test.each<[string, (response: ServerResponse) => unknown]>([
  ['with a response', (response) => response.end('{}')],
  ['within its response', (response) => response.write('{', () => response.destroy())],
  ['before its response', (response) => response.destroy()],
])('a request no longer counts when it ends: %s', async (_when, end) => {
  hold(gateway.links, EXPORT);
  const sent = await fill(BOUNDS.export.each, () => gateway.get(EXPORT, ada));
  gateway.links.on(EXPORT, (_request, response) => void response.end('{}'));
  held.map(end);
  await Promise.all(sent.map((one) => one.then((response) => response.text()).catch(() => null)));
  await vi.waitFor(async () => expect((await gateway.get(EXPORT, ada)).status).toBe(200), { timeout: 30_000 });
});

test.each([
  ['GET', ANALYTICS],
  ['HEAD', ANALYTICS],
  ['GET', `${ANALYTICS}?include=hours&tz=Asia/Kathmandu`],
])('%s %s is given up when its client has gone: at the service, too, and it no longer counts', async (method, path) => {
  hold(gateway.analytics, ANALYTICS);
  const leaving = new AbortController();
  const init = { method, headers: { authorization: `Bearer ${ada}` }, signal: leaving.signal };
  const sent = await fill(BOUNDS.analytics.each, () => fetch(gateway.url + path, init));
  const closed = held.map((response) => once(response, 'close'));
  leaving.abort();
  await Promise.allSettled(sent);
  await Promise.all(closed);
  held.splice(0);
  const next = await fill(BOUNDS.analytics.each, () => gateway.get(path, ada));
  answerAll();
  for (const one of await Promise.all(next)) expect(one.status).toBe(200);
  expect(gateway.log.filter((line) => /"level":"?(error|50|60)/.test(line))).toEqual([]);
});

test('a tool call is given up when its client has gone: at mcp-svc, too, and it no longer counts', async () => {
  hold(gateway.mcp, MCP);
  const leaving = new AbortController();
  const call = (key: string, signal?: AbortSignal) =>
    fetch(gateway.url + MCP, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: TOOL_CALL,
      ...(signal && { signal }),
    });
  // It would be the first to time out.
  const [staying] = await fill(1, () => call(bob));
  const [ofStaying] = held.splice(0);
  const sent = await fill(BOUNDS.mcp.each, () => call(ada, leaving.signal));
  expect(gateway.mcp.received.every(({ body }) => body === TOOL_CALL)).toBe(true);
  const closed = held.map((response) => once(response, 'close'));
  leaving.abort();
  await Promise.allSettled(sent);
  await Promise.all(closed);
  expect(ofStaying!.closed).toBe(false);
  ofStaying!.end('{}');
  expect((await staying!).status).toBe(200);
  held.splice(0);
  const next = await fill(BOUNDS.mcp.each, () => call(ada));
  answerAll();
  for (const one of await Promise.all(next)) expect(one.status).toBe(200);
  expect(gateway.log.filter((line) => /"level":"?(error|50|60)/.test(line))).toEqual([]);
});

test('a request whose client is gone counts as long as the service works on it', async () => {
  hold(gateway.links, EXPORT);
  const leaving = new AbortController();
  const init = { headers: { authorization: `Bearer ${ada}` }, signal: leaving.signal };
  const sent = await fill(BOUNDS.export.each, () => fetch(gateway.url + EXPORT, init));
  leaving.abort();
  await Promise.allSettled(sent);
  expect((await gateway.get(EXPORT, ada)).status).toBe(429);
  gateway.links.on(EXPORT, (_request, response) => void response.end('{}'));
  answerAll();
  await vi.waitFor(async () => expect((await gateway.get(EXPORT, ada)).status).toBe(200), { timeout: 30_000 });
});
