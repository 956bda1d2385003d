import { generateKey } from '@waymark/auth';
import {
  hasRedisServer,
  NO_REDIS_SERVER,
  type RedisServer,
  startRedisServer,
} from '@waymark/service-kit/test/redis-server';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Config } from '../src/config.ts';
import { errorOf, startGateway, type TestGateway } from './gateway.ts';

const LIMIT = 6;
const SHARED = 'rate limits are shared through Redis';
const ALONE = 'Redis does not respond; this replica counts rate limits on its own';

let redis: RedisServer;
const cleanups: (() => Promise<void>)[] = [];
/** How long Redis has to respond, also on a busy machine. */
const PATIENT_MS = 30_000;

beforeEach(async ({ skip }) => {
  skip(!hasRedisServer, NO_REDIS_SERVER);
  redis = await startRedisServer();
  cleanups.push(() => redis.close());
});
afterEach(async () => {
  for (const end of cleanups.splice(0).reverse()) await end();
});

const linesOf = (gateway: TestGateway, message: string) =>
  gateway.log.filter((line) => JSON.parse(line).msg === message).length;
const logs = (gateway: TestGateway, message: string, times: number) =>
  vi.waitFor(() => expect(linesOf(gateway, message)).toBe(times), { timeout: 30_000 });

/** Starts two gateways with one Redis, and waits until both have logged that they share their limits. */
async function startTwo(config: Partial<Config>): Promise<[TestGateway, TestGateway]> {
  const start = async (replicaOf?: TestGateway) => {
    const gateway = await startGateway(
      { ...config, REDIS_URL: redis.url },
      {
        redisTimeoutMs: PATIENT_MS,
        ...(replicaOf && { replicaOf }),
      },
    );
    cleanups.push(() => gateway.close());
    return gateway;
  };
  const one = await start();
  const other = await start(one);
  for (const gateway of [one, other]) await logs(gateway, SHARED, 1);
  return [one, other];
}

test('rate limits are "shared between replicas when a Redis address is given": two gateways have one budget for a key', async () => {
  const [one, other] = await startTwo({ RATE_LIMIT_PER_MINUTE: LIMIT });
  const key = one.accounts.addKey({ username: 'ada' });
  const left: string[] = [];
  for (let i = 0; i < LIMIT; i++) {
    const response = await (i % 2 === 0 ? one : other).get('/api/v1/me', key);
    expect(response.status).toBe(200);
    expect(response.headers.get('ratelimit-policy')).toBe(`"key";q=${LIMIT};w=60`);
    left.push(/^"key";r=(\d);t=(?:60|59|58)$/.exec(response.headers.get('ratelimit')!)![1]!);
  }
  expect(left).toEqual(['5', '4', '3', '2', '1', '0']);
  for (const gateway of [one, other]) {
    const refused = await gateway.get('/api/v1/me', key);
    expect(refused.status).toBe(429);
    expect(refused.headers.get('ratelimit')).toMatch(/^"key";r=0;t=\d+$/);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(50);
    expect(await errorOf(refused)).toContain(`${LIMIT} requests per minute`);
  }
  expect((await other.get('/api/v1/me', one.accounts.addKey({ username: 'bob' }))).status).toBe(200);
});

test('two gateways with the same Redis count the failures of an address together', async () => {
  const [one, other] = await startTwo({ AUTH_FAILURES_PER_MINUTE: 4, TRUST_PROXY: ['127.0.0.1'] });
  const fail = async (gateway: TestGateway, address: string) => {
    const response = await gateway.get('/api/v1/me', generateKey('full_access'), { 'x-forwarded-for': address });
    await response.body?.cancel();
    return response;
  };
  for (const gateway of [one, other, one, other]) expect((await fail(gateway, '2001:db8::1')).status).toBe(401);
  for (const gateway of [one, other]) {
    const refused = await fail(gateway, '2001:db8::2');
    expect(refused.status).toBe(429);
    expect(refused.headers.get('ratelimit')).toMatch(/^"address";r=0;t=\d+$/);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(50);
    expect((await fail(gateway, '2001:db8:0:1::1')).status).toBe(401);
  }
});

/** Returns how many scripts Redis has run. */
async function scriptsRun(): Promise<number> {
  return Number(/cmdstat_eval:calls=(\d+)/.exec(await redis.send('INFO commandstats'))![1]);
}

test('an MCP batch of 131,000 messages costs one Redis command and gets 400 before it reaches mcp-svc', async () => {
  const [one] = await startTwo({ RATE_LIMIT_PER_MINUTE: 1_000_000 });
  const key = one.accounts.addKey({ username: 'ada' });
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const post = (messages: number, message: string) =>
    fetch(`${one.url}/mcp`, { method: 'POST', headers, body: `[${Array(messages).fill(message).join(',')}]` });
  const before = await scriptsRun();
  const refused = await post(131_000, '1');
  expect([refused.status, ((await refused.json()) as { error: { code: number } }).error.code]).toEqual([400, -32600]);
  // Each of the two gateways also sends one probe per second.
  expect(await scriptsRun()).toBeLessThan(before + 20);
  expect(one.mcp.received).toHaveLength(0);
  const served = await post(20, '{"method":"tools/call"}');
  expect([served.status, served.headers.get('ratelimit')]).toEqual([200, expect.stringMatching(/^"key";r=999980;/)]);
  expect(await scriptsRun()).toBeLessThan(before + 40);
});

test('of many requests with unknown keys at once at two gateways, no more than the limit are looked up', async () => {
  const [one, other] = await startTwo({ AUTH_FAILURES_PER_MINUTE: 10 });
  one.accounts.delayMs = 20;
  const statuses = await Promise.all(
    Array.from({ length: 200 }, async (_, n) => {
      const response = await (n % 2 === 0 ? one : other).get('/api/v1/me', generateKey('full_access'));
      await response.body?.cancel();
      return response.status;
    }),
  );
  expect(one.accounts.lookups).toBe(10);
  expect(statuses.filter((status) => status === 401)).toHaveLength(10);
  expect(new Set(statuses)).toEqual(new Set([401, 429]));
});

test('a valid key that is new to both gateways uses up no failures of its address', async () => {
  const [one, other] = await startTwo({ AUTH_FAILURES_PER_MINUTE: 2 });
  one.accounts.delayMs = 20;
  const key = one.accounts.addKey({ username: 'ada' });
  const statuses = await Promise.all(
    Array.from({ length: 40 }, async (_, n) => (await (n % 2 === 0 ? one : other).get('/api/v1/me', key)).status),
  );
  expect(new Set(statuses)).toEqual(new Set([200]));
  for (const status of [401, 401, 429])
    expect((await one.get('/api/v1/me', generateKey('full_access'))).status).toBe(status);
});

test('when Redis is killed under load, no request fails and each gateway limits on its own until Redis returns', async () => {
  const [one, other] = await startTwo({ RATE_LIMIT_PER_MINUTE: 1_000_000 });
  const key = one.accounts.addKey({ username: 'ada' });
  let running = true;
  const answered = new Map<unknown, number>();
  const statuses = new Set<number>();
  const load = [one, other].map(async (gateway) => {
    while (running) {
      const response = await gateway.get('/api/v1/me', key);
      await response.arrayBuffer();
      statuses.add(response.status);
      expect(response.headers.get('ratelimit')).toMatch(/^"key";r=\d+;t=\d+$/);
      answered.set(gateway, (answered.get(gateway) ?? 0) + 1);
      await new Promise((resolve) => setTimeout(resolve, 3));
    }
  });
  const more = async (than = new Map<unknown, number>()) => {
    for (const gateway of [one, other])
      await expect.poll(() => answered.get(gateway) ?? 0).toBeGreaterThan((than.get(gateway) ?? 0) + 20);
  };
  await more();
  await redis.signal('SIGKILL');
  for (const gateway of [one, other]) await logs(gateway, ALONE, 1);
  // Nobody waits until Redis is back.
  await more(new Map(answered));
  await redis.start();
  for (const gateway of [one, other]) await logs(gateway, SHARED, 2);
  running = false;
  await Promise.all(load);
  expect([...statuses]).toEqual([200]);
  for (const gateway of [one, other]) expect(linesOf(gateway, ALONE)).toBe(1);
});

test('a gateway enforces the limit on its own while Redis is unavailable', async () => {
  const [one, other] = await startTwo({ RATE_LIMIT_PER_MINUTE: LIMIT });
  const key = one.accounts.addKey({ username: 'ada' });
  await redis.signal('SIGKILL');
  for (const gateway of [one, other]) {
    const statuses = [];
    for (let i = 0; i < LIMIT + 2; i++) statuses.push((await gateway.get('/api/v1/me', key)).status);
    expect(statuses).toEqual([...Array(LIMIT).fill(200), 429, 429]);
  }
});
