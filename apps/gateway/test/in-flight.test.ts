import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { BOUNDS } from '../src/routes.ts';
import type { FakeService } from './fake-service.ts';
import { errorOf, startGateway, type TestGateway } from './gateway.ts';

let gateway: TestGateway;
let ada: string;
let bob: string;
let held: ServerResponse[];
const slow: Socket[] = [];
beforeEach(async () => {
  gateway = await startGateway();
  ada = gateway.accounts.addKey({ username: 'ada' });
  bob = gateway.accounts.addKey({ username: 'bob' });
  held = [];
});
afterEach(async () => {
  for (const socket of slow.splice(0)) socket.destroy();
  await gateway.close();
});

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

test('however many passwords one address sends at once, others there are served: its visitors may share it', async () => {
  hold(gateway.links, '/locked');
  const sent = await fill(100, () => fetch(`${gateway.url}/locked`, { method: 'POST', body: 'password=x' }));
  expect((await fetch(`${gateway.url}/other`, { method: 'POST', body: 'password=x' })).status).toBe(200);
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

const WAIT = { timeout: 30_000 };
const KIB = 1024;

/** Opens a connection whose client reads nothing. */
function connectSlow(): Socket {
  const socket = connect(gateway.port, '127.0.0.1').pause();
  socket.on('error', () => {});
  slow.push(socket);
  return socket;
}

const requestOf = (method: string, path: string, key: string, headers = '') =>
  `${method} ${path} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\n${headers}\r\n`;

/** Makes accounts that have all places of a kind together, and returns the key for each place. */
const shares = (kind: 'export' | 'analytics') => {
  const keys = Array.from({ length: Math.ceil(BOUNDS[kind].all / BOUNDS[kind].each) }, (_, n) =>
    gateway.accounts.addKey({ username: `slow-${n}` }),
  );
  return keys.flatMap((key) => Array<string>(BOUNDS[kind].each).fill(key));
};

test('a short response frees its place, whether its client reads it or not', async () => {
  gateway.links.on(EXPORT, (_request, response) => void response.end('x'.repeat(15 * KIB)));
  const unsent = async () => Number(/^http_unsent_bytes\{.*\} (\d+)$/m.exec(await gateway.metrics())![1]);
  for (let n = 0; n < BOUNDS.export.each; n++) {
    const socket = connectSlow();
    const [bytesBefore, before] = [await unsent(), gateway.links.received.length];
    // Until the buffers of the connection are full.
    for (let sent = 0; (await unsent()) === bytesBefore; sent += 32) {
      socket.write(requestOf('GET', EXPORT, ada).repeat(32));
      await vi.waitFor(async () => {
        const isStuck = (await unsent()) > bytesBefore;
        expect(isStuck || gateway.links.received.length === before + sent + 32).toBe(true);
      }, WAIT);
    }
  }
  expect((await gateway.get(EXPORT, ada)).status).toBe(200);
});

test.each([
  ['export', EXPORT],
  ['analytics', ANALYTICS],
] as const)('long responses that clients do not read take places of their account only: %s', async (kind, path) => {
  const opened: ServerResponse[] = [];
  const service = kind === 'export' ? gateway.links : gateway.analytics;
  service.on(path, (_request, response) => {
    response.write('first');
    opened.push(response);
  });
  const keys = shares(kind);
  for (const key of keys) connectSlow().write(requestOf('GET', path, key));
  await vi.waitFor(() => expect(opened).toHaveLength(keys.length), WAIT);
  expect((await gateway.get(path, ada)).status).toBe(200);
  expect((await gateway.get(path, keys[0])).status).toBe(429);
});

test('files that clients send slowly take places of their account only', async () => {
  const [path, piece] = ['/api/v1/jobs/import', 'url\r\n'];
  const keys = Array.from({ length: 8 }, (_, n) => gateway.accounts.addKey({ username: `slow-${n}` }));
  for (const key of keys)
    for (let n = 0; n < BOUNDS.import.each; n++)
      connectSlow().write(requestOf('POST', path, key, 'Content-Type: text/csv\r\nContent-Length: 99\r\n') + piece);
  const upload = (key: string) =>
    fetch(gateway.url + path, {
      method: 'POST',
      body: piece,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'text/csv' },
    });
  await vi.waitFor(async () => expect((await upload(keys[7]!)).status).toBe(429), WAIT);
  expect((await upload(ada)).status).toBe(200);
});
