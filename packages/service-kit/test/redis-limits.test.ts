import { Registry } from 'prom-client';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createLogger, createWindowCounters, type WindowCounter } from '../src/index.ts';
import { hasRedisServer, NO_REDIS_SERVER, type RedisServer, startRedisServer } from './support/redis-server.ts';

const SECRET = 'the same secret for every replica';
const LIMIT = 5;

let redis: RedisServer;
const cleanups: (() => unknown)[] = [];
beforeEach(async ({ skip }) => {
  skip(!hasRedisServer, NO_REDIS_SERVER);
  redis = await startRedisServer();
  cleanups.push(() => redis.close());
});
afterEach(async () => {
  for (const end of cleanups.splice(0).reverse()) await end();
});

/** Creates the counters of one replica that uses the Redis. */
function startReplica({ url = redis.url, secret = SECRET } = {}) {
  const log: string[] = [];
  const registry = new Registry();
  const counters = createWindowCounters({
    redisUrl: url,
    secret,
    logger: createLogger({ service: 'test', level: 'info' }, { write: (line) => void log.push(line) }),
    registry,
  });
  cleanups.push(() => counters.close());
  const metric = async (name: string) => (await registry.getSingleMetric(name)!.get()).values[0]!.value;
  const isShared = async (expected: boolean) =>
    vi.waitFor(async () => expect(await metric('rate_limits_shared')).toBe(expected ? 1 : 0), { timeout: 30_000 });
  return { counter: counters.counter('test'), attempts: counters.attempts('tries'), log, metric, isShared };
}

/** Returns the usage of a subject. Two events never fit within a limit of one, so nothing is counted. */
async function usageOf(counter: WindowCounter, subject: string) {
  const { used, resetSeconds } = await counter.count(subject, 1, 2);
  return { used, resetSeconds };
}

async function startSharing(count: number) {
  const replicas = Array.from({ length: count }, () => startReplica());
  for (const replica of replicas) await replica.isShared(true);
  return replicas;
}

test('replicas count together: concurrent events are counted up to the limit exactly, and refunded events are free again', async () => {
  const [one, other] = await startSharing(2);
  const result = await Promise.all(
    Array.from({ length: 40 }, (_, i) => (i % 2 === 0 ? one : other)!.counter.count('a', LIMIT)),
  );
  expect(result.every((each) => each.in === 'redis')).toBe(true);
  expect(result.filter(({ counted }) => counted).map(({ used }) => used)).toEqual([1, 2, 3, 4, 5]);
  expect(result.filter(({ counted }) => !counted).every(({ used }) => used === LIMIT)).toBe(true);
  expect(await usageOf(other!.counter, 'a')).toEqual({ used: LIMIT, resetSeconds: 60 });
  expect(await usageOf(other!.counter, 'b')).toEqual({ used: 0, resetSeconds: 60 });

  one!.counter.refund('a', result.find(({ counted }) => !counted)!);
  expect((await usageOf(one!.counter, 'a')).used).toBe(LIMIT);
  one!.counter.refund('a', result.find(({ counted }) => counted)!);
  expect(await one!.counter.count('a', LIMIT)).toMatchObject({ counted: true, used: LIMIT });
  expect((await other!.counter.count('a', LIMIT)).counted).toBe(false);
});

test('replicas count attempts together, including open ones, and ending an attempt of an old window changes nothing', async () => {
  const [one, other] = await startSharing(2);
  const begun = await Promise.all([one, other, one].map((replica) => replica!.attempts.begin('a', 3)));
  expect(begun.map(({ counted, in: where }) => [counted, where])).toEqual(Array(3).fill([true, 'redis']));
  expect(await other!.attempts.begin('a', 3)).toMatchObject({ counted: false, open: 3, resetSeconds: 60 });
  one!.attempts.end('a', begun[0]!, true);
  expect(await one!.attempts.begin('a', 3)).toMatchObject({ counted: false, open: 2 });
  one!.attempts.end('a', begun[2]!, false);
  const next = await one!.attempts.begin('a', 3);
  expect(next).toMatchObject({ counted: true, open: 2 });
  other!.attempts.end('a', begun[1]!, true);
  one!.attempts.end('a', next, true);
  expect(await one!.attempts.begin('a', 3)).toMatchObject({ counted: false });
  await vi.waitFor(async () => expect(await other!.attempts.begin('a', 3)).toMatchObject({ counted: false, open: 0 }), {
    timeout: 30_000,
  });

  const old = await one!.attempts.begin('b', 1);
  for (const key of (await redis.send('KEYS *tries*')).match(/waymark:\S+/g)!) {
    expect(Number((await redis.send(`PTTL ${key}`)).slice(1))).toBeGreaterThan(50_000);
    await redis.send(`DEL ${key}`);
  }
  expect(await one!.attempts.begin('b', 1)).toMatchObject({ counted: true, open: 1 });
  one!.attempts.end('b', old, false);
  expect(await one!.attempts.begin('b', 1)).toMatchObject({ counted: false, open: 1 });
});

test('after Redis was killed, attempts are counted in memory, where an attempt that began in Redis does not end', async () => {
  const [replica] = await startSharing(1);
  const { attempts } = replica!;
  const before = await attempts.begin('a', 1);
  await redis.signal('SIGKILL');
  const during = await attempts.begin('a', 1);
  expect(during).toMatchObject({ counted: true, in: 'memory' });
  attempts.end('a', before, false);
  expect(await attempts.begin('a', 1)).toMatchObject({ counted: false, open: 1, in: 'memory' });
  attempts.end('a', during, false);
  expect(await attempts.begin('a', 1)).toMatchObject({ counted: true, in: 'memory' });
});

test('an attempt that Redis counts too late is not counted there, because it is counted in memory', async () => {
  const [one, other] = await startSharing(2);
  await redis.signal('SIGSTOP');
  const late = one!.attempts.begin('a', 1);
  expect(await late).toMatchObject({ counted: true, in: 'memory' });
  await redis.signal('SIGCONT');
  await other!.isShared(true);
  await vi.waitFor(
    async () => expect(await other!.attempts.begin('a', 1)).toMatchObject({ counted: true, open: 1, in: 'redis' }),
    { timeout: 30_000, interval: 50 },
  );
});

test('several events are counted in one command, together or not at all, and are refunded together', async () => {
  const [one, other] = await startSharing(2);
  const commands = async () => Number(/cmdstat_eval:calls=(\d+)/.exec(await redis.send('INFO commandstats'))![1]);
  // Probes add a few commands, so the number is not exact. One command per event would be far more.
  const before = await commands();
  const many = await one!.counter.count('a', 1_000_000, 100_000);
  expect(await commands()).toBeLessThan(before + 20);
  expect(many).toMatchObject({ counted: true, events: 100_000, used: 100_000, in: 'redis' });
  expect(await other!.counter.count('a', 100_002, 3)).toMatchObject({ counted: false, used: 100_000 });
  expect(await other!.counter.count('a', 100_002, 2)).toMatchObject({ counted: true, used: 100_002 });
  other!.counter.refund('a', many);
  expect((await usageOf(other!.counter, 'a')).used).toBe(2);
  expect(await one!.counter.count('b', LIMIT, LIMIT + 1)).toMatchObject({ counted: false, used: 0, resetSeconds: 60 });
  expect(await one!.counter.count('b', LIMIT, LIMIT)).toMatchObject({ counted: true, used: LIMIT });
});

test('a window begins with the first event, later events do not extend it, and Redis removes it when it ends', async () => {
  const [replica] = await startSharing(1);
  await replica!.counter.count('a', LIMIT);
  const [key] = (await redis.send('KEYS *test*')).match(/waymark:\S+/)!;
  expect(Number((await redis.send(`PTTL ${key}`)).slice(1))).toBeGreaterThan(55_000);
  await redis.send(`PEXPIRE ${key} 1500`);
  expect(await replica!.counter.count('a', LIMIT)).toMatchObject({ counted: true, used: 2, resetSeconds: 2 });
  replica!.counter.refund('a', await replica!.counter.count('a', LIMIT));
  expect(await usageOf(replica!.counter, 'a')).toEqual({ used: 2, resetSeconds: 2 });
  await vi.waitFor(async () => expect(await redis.send(`EXISTS ${key}`)).toBe(':0\r\n'), { timeout: 30_000 });
  expect(await replica!.counter.count('a', LIMIT)).toMatchObject({ counted: true, used: 1, resetSeconds: 60 });
  // A key without expiry must not block its subject forever.
  await redis.send(`SET ${key} 99`);
  expect(await usageOf(replica!.counter, 'a')).toMatchObject({ used: 0 });
  expect(await replica!.counter.count('a', LIMIT)).toMatchObject({ counted: true, used: 1, resetSeconds: 60 });
});

test('Redis stores neither a subject nor a hash that can be computed without the secret', async () => {
  const [replica] = await startSharing(1);
  const stranger = startReplica({ secret: 'another secret' });
  await stranger.isShared(true);
  await replica!.counter.count('192.0.2.1', LIMIT);
  expect(await stranger.counter.count('192.0.2.1', LIMIT)).toMatchObject({ used: 1 });
  const keys = (await redis.send('KEYS *')).match(/waymark:\S+/g)!.sort();
  expect(keys).toEqual([
    'waymark:limits:probe',
    expect.stringMatching(/^waymark:limits:test:[\w-]{22}$/),
    expect.stringMatching(/^waymark:limits:test:[\w-]{22}$/),
  ]);
});

test('when Redis is killed, counting continues in memory without waiting, is logged once, and returns to Redis later', async () => {
  const [replica] = await startSharing(1);
  const { counter, log, metric, isShared } = replica!;
  const before = await counter.count('a', LIMIT);
  expect(before).toMatchObject({ used: 1, in: 'redis' });
  await redis.signal('SIGKILL');
  // The counter does not know yet that Redis is gone. It must still respond.
  const during = await Promise.all(Array.from({ length: 8 }, () => counter.count('a', LIMIT)));
  expect(during.map((result) => result.in)).toEqual(Array(8).fill('memory'));
  expect(during.filter(({ counted }) => counted)).toHaveLength(LIMIT);
  await isShared(false);
  expect(await counter.count('b', LIMIT)).toEqual({
    counted: true,
    events: 1,
    used: 1,
    resetSeconds: 60,
    in: 'memory',
  });
  expect(await usageOf(counter, 'b')).toEqual({ used: 1, resetSeconds: 60 });
  // Events that were counted in Redis are not refunded in memory.
  counter.refund('b', before);
  expect(await usageOf(counter, 'b')).toMatchObject({ used: 1 });
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  await redis.start();
  await isShared(true);
  expect(await counter.count('a', LIMIT)).toMatchObject({ used: 1, in: 'redis' });
  expect(log.map((line) => JSON.parse(line).msg)).toEqual([
    'rate limits are shared through Redis',
    'Redis does not respond; this replica counts rate limits on its own',
    'rate limits are shared through Redis',
  ]);
  expect(await metric('rate_limits_fallbacks_total')).toBe(1);
});

test('when Redis freezes, pending requests wait at most 50 ms, later ones do not wait, and counting returns to Redis later', async () => {
  const [replica] = await startSharing(1);
  const { counter, isShared } = replica!;
  await redis.signal('SIGSTOP');
  const startedAt = performance.now();
  const result = await Promise.all([counter.count('a', LIMIT), counter.count('a', LIMIT)]);
  // Without the limit, they would wait for 3 seconds, until the silent connection is closed.
  expect(performance.now() - startedAt).toBeLessThan(2_000);
  expect(result.map(({ used, in: where }) => [used, where])).toEqual([
    [1, 'memory'],
    [2, 'memory'],
  ]);
  expect(await counter.count('a', LIMIT)).toMatchObject({ used: 3, in: 'memory' });
  // Long enough for the silent connection to be closed.
  await new Promise((resolve) => setTimeout(resolve, 4_000));
  expect(await counter.count('a', LIMIT)).toMatchObject({ used: 4, in: 'memory' });
  await redis.signal('SIGCONT');
  await isShared(true);
  expect(await counter.count('b', LIMIT)).toMatchObject({ in: 'redis' });
});

test('a Redis that refuses writes counts as unavailable, without flapping', async () => {
  const [replica] = await startSharing(1);
  const { counter, log, isShared } = replica!;
  await redis.send('CONFIG SET maxmemory 1');
  expect(await counter.count('a', LIMIT)).toMatchObject({ counted: true, used: 1, in: 'memory' });
  await new Promise((resolve) => setTimeout(resolve, 2_500));
  expect(await counter.count('a', LIMIT)).toMatchObject({ used: 2, in: 'memory' });
  expect(log).toHaveLength(2);
  await redis.send('CONFIG SET maxmemory 0');
  await isShared(true);
});

test('a replica starts without Redis and shares its counts once Redis is available', async () => {
  await redis.signal('SIGKILL');
  const { counter, log, isShared } = startReplica();
  expect(await counter.count('a', LIMIT)).toMatchObject({ counted: true, used: 1, in: 'memory' });
  await vi.waitFor(() => expect(log).toHaveLength(1), { timeout: 30_000 });
  expect(JSON.parse(log[0]!)).toMatchObject({ level: 'warn', err: { code: 'ECONNREFUSED' } });
  await redis.start();
  await isShared(true);
  expect(await counter.count('a', LIMIT)).toMatchObject({ used: 1, in: 'redis' });
});

test('a wrong Redis password is logged as an error that does not contain the password', async () => {
  await redis.send('CONFIG SET requirepass right-password');
  const { counter, log } = startReplica({ url: redis.url.replace('//', '//:hunter2@') });
  await vi.waitFor(() => expect(log).toHaveLength(1), { timeout: 30_000 });
  expect(log.join()).toContain('WRONGPASS');
  expect(log.join()).not.toContain('hunter2');
  expect(await counter.count('a', LIMIT)).toMatchObject({ in: 'memory' });
});
