import { generateKey } from '@waymark/auth';
import { afterEach, expect, test } from 'vitest';
import { errorOf, startGateway, type TestGateway } from './gateway.ts';

let gateway: TestGateway;
afterEach(() => gateway.close());

test('RATE_LIMIT_PER_MINUTE limits each key over REST and MCP together, and responses have RateLimit headers', async () => {
  gateway = await startGateway({ RATE_LIMIT_PER_MINUTE: 5 });
  const key = gateway.accounts.addKey({ username: 'ada' });
  const left: (string | null)[] = [];
  for (const path of ['/api/v1/me', '/mcp', '/api/v1/analytics', '/api/nothing', '/mcp']) {
    const response = path === '/mcp' ? await sendBatch(key, 1) : await gateway.get(path, key);
    expect(response.status).not.toBe(429);
    expect(response.headers.get('ratelimit-policy')).toBe('"key";q=5;w=60');
    left.push(/^"key";r=(\d);t=(?:60|59|58)$/.exec(response.headers.get('ratelimit')!)![1]!);
  }
  expect(left).toEqual(['4', '3', '2', '1', '0']);
  for (const path of ['/api/v1/me', '/api/nothing']) {
    const refused = await gateway.get(path, key);
    expect(refused.status).toBe(429);
    expect(refused.headers.get('ratelimit')).toMatch(/^"key";r=0;t=\d+$/);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(50);
    expect(await errorOf(refused)).toContain('5 requests per minute');
  }
  expect((await gateway.get('/api/v1/me', gateway.accounts.addKey({ username: 'ada' }))).status).toBe(200);
  expect((await gateway.get('/abc')).status).toBe(200);
});

/** Sends a batch of calls, or of messages of another method, over MCP. */
function sendBatch(
  key: string,
  messages: number,
  { before = '', version, method = 'tools/call' }: { before?: string; version?: string; method?: string } = {},
) {
  const params = { name: 'get_me' };
  const batch = Array.from({ length: messages }, (_, id) => ({ jsonrpc: '2.0', id, method, params }));
  const headers = {
    authorization: `Bearer ${key}`,
    'content-type': 'application/json',
    ...(version !== undefined && { 'mcp-protocol-version': version }),
  };
  return fetch(`${gateway.url}/mcp`, { method: 'POST', headers, body: before + JSON.stringify(batch) });
}
const answerOf = (response: Response) => [response.status, response.headers.get('ratelimit')?.split(';t=')[0]];

test.each([
  'initialize',
  'notifications/initialized',
  'tools/list',
  'ping',
  'resources/list',
  'server/discover',
  'nope',
])('only calls of tools count: %s passes, also when the key has no requests left', async (method) => {
  gateway = await startGateway({ RATE_LIMIT_PER_MINUTE: 1 });
  const key = gateway.accounts.addKey({ username: 'ada' });
  const others = async () => {
    expect(answerOf(await sendBatch(key, 1, { method }))).toEqual([200, undefined]);
    expect(answerOf(await sendBatch(key, 20, { method }))).toEqual([200, undefined]);
  };
  await others();
  expect(answerOf(await sendBatch(key, 1))).toEqual([200, '"key";r=0']);
  expect(answerOf(await sendBatch(key, 1))).toEqual([200, '"key";r=0']);
  await others();
  expect(gateway.mcp.received).toHaveLength(5);
});

test.each(['GET', 'DELETE'])('a %s of /mcp does not count', async (method) => {
  gateway = await startGateway({ RATE_LIMIT_PER_MINUTE: 1 });
  const key = gateway.accounts.addKey({ username: 'ada' });
  expect(answerOf(await sendBatch(key, 1))).toEqual([200, '"key";r=0']);
  const headers = { authorization: `Bearer ${key}` };
  expect(answerOf(await fetch(`${gateway.url}/mcp`, { method, headers }))).toEqual([200, undefined]);
});

test('messages that call no tool have a limit of their own, which no client reaches', async () => {
  gateway = await startGateway({ RATE_LIMIT_PER_MINUTE: 1 });
  const key = gateway.accounts.addKey({ username: 'ada' });
  const send = (method: string, messages: number) => sendBatch(key, messages, { method });
  for (let sent = 0; sent < 6_000; sent += 20) expect((await send('initialize', 20)).status).toBe(200);
  const refused = await send('initialize', 1);
  expect([refused.status, Number(refused.headers.get('retry-after')) > 0]).toEqual([429, true]);
  const message = expect.stringMatching(/^This key or session may send 6000 messages per minute; try again in \d/);
  expect(await refused.json()).toEqual([{ jsonrpc: '2.0', id: 0, error: { code: -32000, message } }]);
  // They do not count as requests.
  expect(answerOf(await sendBatch(key, 1))).toEqual([200, '"key";r=0']);
});

test('each call of an MCP batch counts as a request of the key', async () => {
  gateway = await startGateway({ RATE_LIMIT_PER_MINUTE: 5 });
  const key = gateway.accounts.addKey({ username: 'ada' });
  expect(answerOf(await sendBatch(key, 3))).toEqual([200, '"key";r=2']);
  // A byte-order mark must not bypass the limit, since mcp-svc ignores it.
  expect(answerOf(await sendBatch(key, 2, { before: '\uFEFF ' }))).toEqual([200, '"key";r=0']);
  expect(gateway.mcp.received).toHaveLength(2);
});

test('a batch that exceeds the remaining requests is refused as a whole and is not counted', async () => {
  gateway = await startGateway({ RATE_LIMIT_PER_MINUTE: 5 });
  const key = gateway.accounts.addKey({ username: 'ada' });
  expect(answerOf(await sendBatch(key, 3))).toEqual([200, '"key";r=2']);
  for (let i = 0; i < 3; i++) {
    const refused = await sendBatch(key, 3);
    expect(answerOf(refused)).toEqual([200, '"key";r=2']);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(50);
    const message = expect.stringContaining('2 of its 5 requests per minute left');
    const result = { content: [{ type: 'text', text: message }], isError: true };
    expect(await refused.json()).toMatchObject([0, 1, 2].map((id) => ({ id, result })));
  }
  expect(answerOf(await sendBatch(key, 2))).toEqual([200, '"key";r=0']);
  expect(gateway.mcp.received).toHaveLength(2);
});

const bulkOf = (count: number) => ({ operations: Array.from({ length: count }, () => ({ op: 'delete', id: 'x' })) });
const overRest = (count: number) => ['/api/v1/links/bulk', bulkOf(count)] as const;
const overMcp = (count: number) =>
  ['/mcp', { method: 'tools/call', params: { name: 'bulk_edit_links', arguments: bulkOf(count) } }] as const;

test.each([
  ['REST', overRest],
  ['MCP', overMcp],
])(
  'each operation of a bulk edit over %s counts, and one that exceeds the rest is refused as a whole',
  async (_, of) => {
    gateway = await startGateway({ RATE_LIMIT_PER_MINUTE: 10 });
    const key = gateway.accounts.addKey({ username: 'ada' });
    const send = async (count: number) => {
      const [path, body] = of(count);
      const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
      return fetch(gateway.url + path, { method: 'POST', headers, body: JSON.stringify(body) });
    };
    expect(answerOf(await send(7))).toEqual([200, '"key";r=3']);
    const refused = await send(4);
    expect(answerOf(refused)).toEqual([429, '"key";r=3']);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(50);
    expect(await errorOf(refused)).toContain('counts as 4 requests');
    expect(answerOf(await send(3))).toEqual([200, '"key";r=0']);
    expect(gateway.links.received.length + gateway.mcp.received.length).toBe(2);
  },
);

test.each([undefined, '2025-03-26', '2025-11-25'])(
  'a batch of more than 20 messages gets the same error as from mcp-svc, does not count and is not forwarded (revision %s)',
  async (version) => {
    gateway = await startGateway({ RATE_LIMIT_PER_MINUTE: 100 });
    const key = gateway.accounts.addKey({ username: 'ada' });
    const refused = await sendBatch(key, 21, version === undefined ? {} : { version });
    expect(answerOf(refused)).toEqual([400, undefined]);
    expect(refused.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(await refused.json()).toEqual({
      jsonrpc: '2.0',
      error: { code: -32600, message: 'A batch may have at most 20 messages.' },
      id: null,
    });
    expect(gateway.mcp.received).toHaveLength(0);
    expect(answerOf(await sendBatch(key, 20))).toEqual([200, '"key";r=80']);
  },
);

test('AUTH_FAILURES_PER_MINUTE limits each address with 429 before a lookup, and does not lock out valid keys in use', async () => {
  gateway = await startGateway({ AUTH_FAILURES_PER_MINUTE: 4, TRUST_PROXY: ['127.0.0.1'] });
  const key = gateway.accounts.addKey({ username: 'ada' });
  const from = (address: string) => ({ 'x-forwarded-for': address });
  expect((await gateway.get('/api/v1/me', key, from('203.0.113.1'))).status).toBe(200);
  for (const bad of [undefined, 'key_live_short', generateKey('full_access'), generateKey('full_access')]) {
    expect((await gateway.get('/api/v1/me', bad, from('203.0.113.1'))).status).toBe(401);
  }
  const lookups = gateway.accounts.lookups;
  for (const bad of [undefined, 'key_live_short', generateKey('full_access')]) {
    const refused = await gateway.get('/mcp', bad, from('203.0.113.1'));
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(50);
    expect(refused.headers.get('ratelimit')).toMatch(/^"address";r=0;t=\d+$/);
    await errorOf(refused);
  }
  expect(gateway.accounts.lookups).toBe(lookups);
  expect((await gateway.get('/api/v1/me', key, from('203.0.113.1'))).status).toBe(200);
  expect((await gateway.get('/api/v1/me', generateKey('full_access'), from('203.0.113.2'))).status).toBe(401);
});

test.each([
  ['with ports', (n: number) => `203.0.113.1:${5000 + n}`],
  ['with ports, mapped to IPv6', (n: number) => `[::ffff:203.0.113.1]:${5000 + n}`],
  ['through a proxy with ports', (n: number) => `203.0.113.1, 127.0.0.1:${5000 + n}`],
  ['IPv6 with ports', (n: number) => `[2001:db8::1]:${5000 + n}`],
  ['no address', (n: number) => `unknown-${n}`],
])('AUTH_FAILURES_PER_MINUTE limits an address, however a proxy writes it: %s', async (_name, addressOf) => {
  gateway = await startGateway({ AUTH_FAILURES_PER_MINUTE: 3, TRUST_PROXY: ['127.0.0.1'] });
  const statuses: number[] = [];
  for (let n = 0; n < 5; n += 1) {
    const from = { 'x-forwarded-for': addressOf(n) };
    statuses.push((await gateway.get('/api/v1/me', generateKey('full_access'), from)).status);
  }
  expect(statuses).toEqual([401, 401, 401, 429, 429]);
  const other = { 'x-forwarded-for': '203.0.113.2:5000' };
  expect((await gateway.get('/api/v1/me', generateKey('full_access'), other)).status).toBe(401);
});

test('at most AUTH_FAILURES_PER_MINUTE keys are looked up for 1,500 concurrent requests with unknown keys', async () => {
  gateway = await startGateway({ AUTH_FAILURES_PER_MINUTE: 60 });
  gateway.accounts.delayMs = 20;
  const statuses = await Promise.all(
    Array.from({ length: 1_500 }, async () => (await gateway.get('/api/v1/me', generateKey('full_access'))).status),
  );
  expect(gateway.accounts.lookups).toBe(60);
  expect(statuses.filter((status) => status === 401)).toHaveLength(60);
  expect(statuses.filter((status) => status === 429)).toHaveLength(1_440);
});

test('concurrent requests with one unknown key each count, but share one lookup', async () => {
  gateway = await startGateway({ AUTH_FAILURES_PER_MINUTE: 4 });
  gateway.accounts.delayMs = 20;
  const key = generateKey('full_access');
  const statuses = await Promise.all(
    Array.from({ length: 10 }, async () => (await gateway.get('/api/v1/me', key)).status),
  );
  expect(statuses.sort()).toEqual([401, 401, 401, 401, 429, 429, 429, 429, 429, 429]);
  expect(gateway.accounts.lookups).toBe(1);
});

test('valid keys that are new to a replica consume no failures, however many arrive concurrently', async () => {
  gateway = await startGateway({ AUTH_FAILURES_PER_MINUTE: 3 });
  gateway.accounts.delayMs = 20;
  const keys = Array.from({ length: 20 }, (_, n) => gateway.accounts.addKey({ username: `user-${n}` }));
  const statuses = await Promise.all(
    [...keys, ...keys, ...keys].map(async (key) => (await gateway.get('/api/v1/me', key)).status),
  );
  expect(new Set(statuses)).toEqual(new Set([200]));
  expect(gateway.accounts.lookups).toBe(20);
  for (const status of [401, 401, 401, 429])
    expect((await gateway.get('/api/v1/me', generateKey('full_access'))).status).toBe(status);
});

test('a failed lookup gives 503 to all of its waiters and consumes no failures', async () => {
  gateway = await startGateway({ AUTH_FAILURES_PER_MINUTE: 3 });
  gateway.accounts.failing = true;
  const statuses = await Promise.all(
    Array.from({ length: 20 }, async () => (await gateway.get('/api/v1/me', generateKey('full_access'))).status),
  );
  expect(new Set(statuses)).toEqual(new Set([503]));
  gateway.accounts.failing = false;
  const key = gateway.accounts.addKey({ username: 'ada' });
  expect((await gateway.get('/api/v1/me', key)).status).toBe(200);
});

test('the value 0 turns a limit and its headers off', async () => {
  gateway = await startGateway({ RATE_LIMIT_PER_MINUTE: 0, AUTH_FAILURES_PER_MINUTE: 0 });
  const key = gateway.accounts.addKey({ username: 'ada' });
  const response = await gateway.get('/api/v1/me', key);
  expect(response.headers.get('ratelimit')).toBeNull();
  const statuses = await Promise.all(Array.from({ length: 80 }, async () => (await gateway.get('/api/v1/me')).status));
  expect(new Set(statuses)).toEqual(new Set([401]));
});
