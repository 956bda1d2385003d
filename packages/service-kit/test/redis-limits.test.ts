import { Registry } from 'prom-client';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createLogger, createWindowCounters } from '../src/index.ts';
import { hasRedisServer, NO_REDIS_SERVER, type RedisServer, startRedisServer } from './support/redis-server.ts';

const SECRET = 'the same secret for every replica';
const LIMIT = 5;

let redis: RedisServer;
const atTheEnd: (() => unknown)[] = [];
beforeEach(async ({ skip }) => {
  skip(!hasRedisServer, NO_REDIS_SERVER);
  redis = await startRedisServer();
  atTheEnd.push(() => redis.close());
});
afterEach(async () => {
  for (const end of atTheEnd.splice(0).reverse()) await end();
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
  atTheEnd.push(() => counters.close());
  const metric = async (name: string) => (await registry.getSingleMetric(name)!.get()).values[0]!.value;
  const isShared = async (expected: boolean) =>
    vi.waitFor(async () => expect(await metric('rate_limits_shared')).toBe(expected ? 1 : 0), { timeout: 10_000 });
  return { counter: counters.counter('test'), attempts: counters.attempts('tries'), log, metric, isShared };
}

async function startSharing(count: number) {
  const replicas = Array.from({ length: count }, () => startReplica());
  for (const replica of replicas) await replica.isShared(true);
  return replicas;
}

test('replicas count together: of many events at once exactly the limit is counted, and what is given back is free', async () => {
  const [one, other] = await startSharing(2);
  const taken = await Promise.all(
    Array.from({ length: 40 }, (_, i) => (i % 2 === 0 ? one : other)!.counter.take('a', LIMIT)),
  );
  expect(taken.every((each) => each.in === 'redis')).toBe(true);
  expect(taken.filter(({ counted }) => counted).map(({ used }) => used)).toEqual([1, 2, 3, 4, 5]);
  expect(taken.filter(({ counted }) => !counted).every(({ used }) => used === LIMIT)).toBe(true);
  expect(await other!.counter.peek('a')).toEqual({ used: LIMIT, resetSeconds: 60 });
  expect(await other!.counter.peek('b')).toEqual({ used: 0, resetSeconds: 60 });

  one!.counter.refund('a', taken.find(({ counted }) => !counted)!);
  expect((await one!.counter.peek('a')).used).toBe(LIMIT);
  one!.counter.refund('a', taken.find(({ counted }) => counted)!);
  expect(await one!.counter.take('a', LIMIT)).toMatchObject({ counted: true, used: LIMIT });
  expect((await other!.counter.take('a', LIMIT)).counted).toBe(false);
});

test('replicas count attempts together: each knows of the other’s open ones, and an ended window changes nothing', async () => {
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
  await vi.waitFor(async () => expect(await other!.attempts.begin('a', 3)).toMatchObject({ counted: false, open: 0 }));

  const old = await one!.attempts.begin('b', 1);
  for (const key of (await redis.send('KEYS *tries*')).match(/waymark:\S+/g)!) {
    expect(Number((await redis.send(`PTTL ${key}`)).slice(1))).toBeGreaterThan(50_000);
    await redis.send(`DEL ${key}`);
  }
  expect(await one!.attempts.begin('b', 1)).toMatchObject({ counted: true, open: 1 });
  one!.attempts.end('b', old, false);
  expect(await one!.attempts.begin('b', 1)).toMatchObject({ counted: false, open: 1 });
});

test('with Redis killed attempts are counted in memory, and one begun in Redis does not end there', async () => {
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

test('of several events all are counted or none, in one command, and all are given back', async () => {
  const [one, other] = await startSharing(2);
  const commands = async () => Number(/cmdstat_eval:calls=(\d+)/.exec(await redis.send('INFO commandstats'))![1]);
  // Probes add a few commands, so the number is not exact. One command per event would be far more.
  const before = await commands();
  const many = await one!.counter.take('a', 1_000_000, 100_000);
  expect(await commands()).toBeLessThan(before + 20);
  expect(many).toMatchObject({ counted: true, events: 100_000, used: 100_000, in: 'redis' });
  expect(await other!.counter.take('a', 100_002, 3)).toMatchObject({ counted: false, used: 100_000 });
  expect(await other!.counter.take('a', 100_002, 2)).toMatchObject({ counted: true, used: 100_002 });
  other!.counter.refund('a', many);
  expect((await other!.counter.peek('a')).used).toBe(2);
  expect(await one!.counter.take('b', LIMIT, LIMIT + 1)).toMatchObject({ counted: false, used: 0, resetSeconds: 60 });
  expect(await one!.counter.take('b', LIMIT, LIMIT)).toMatchObject({ counted: true, used: LIMIT });
});

test('a window begins with the first event, is not made longer by others, and Redis removes it at its end', async () => {
  const [replica] = await startSharing(1);
  await replica!.counter.take('a', LIMIT);
  const [key] = (await redis.send('KEYS *test*')).match(/waymark:\S+/)!;
  expect(Number((await redis.send(`PTTL ${key}`)).slice(1))).toBeGreaterThan(55_000);
  await redis.send(`PEXPIRE ${key} 1500`);
  expect(await replica!.counter.take('a', LIMIT)).toMatchObject({ counted: true, used: 2, resetSeconds: 2 });
  replica!.counter.refund('a', await replica!.counter.take('a', LIMIT));
  expect(await replica!.counter.peek('a')).toEqual({ used: 2, resetSeconds: 2 });
  await vi.waitFor(async () => expect(await redis.send(`EXISTS ${key}`)).toBe(':0\r\n'), { timeout: 5_000 });
  expect(await replica!.counter.take('a', LIMIT)).toMatchObject({ counted: true, used: 1, resetSeconds: 60 });
  // A key without expiry must not block its subject forever.
  await redis.send(`SET ${key} 99`);
  expect(await replica!.counter.peek('a')).toMatchObject({ used: 0 });
  expect(await replica!.counter.take('a', LIMIT)).toMatchObject({ counted: true, used: 1, resetSeconds: 60 });
});

test('a subject is not readable in Redis: not itself, not its hash without the secret', async () => {
  const [replica] = await startSharing(1);
  const stranger = startReplica({ secret: 'another secret' });
  await stranger.isShared(true);
  await replica!.counter.take('192.0.2.1', LIMIT);
  expect(await stranger.counter.take('192.0.2.1', LIMIT)).toMatchObject({ used: 1 });
  const keys = (await redis.send('KEYS *')).match(/waymark:\S+/g)!.sort();
  expect(keys).toEqual([
    'waymark:limits:probe',
    expect.stringMatching(/^waymark:limits:test:[\w-]{22}$/),
    expect.stringMatching(/^waymark:limits:test:[\w-]{22}$/),
  ]);
});

test('a Redis that is killed: counting goes on in memory without a wait, one line of the log, and back again', async () => {
  const [replica] = await startSharing(1);
  const { counter, log, metric, isShared } = replica!;
  const before = await counter.take('a', LIMIT);
  expect(before).toMatchObject({ used: 1, in: 'redis' });
  await redis.signal('SIGKILL');
  // The counter does not know yet that Redis is gone. It must still respond.
  const during = await Promise.all(Array.from({ length: 8 }, () => counter.take('a', LIMIT)));
  expect(during.map((taken) => taken.in)).toEqual(Array(8).fill('memory'));
  expect(during.filter(({ counted }) => counted)).toHaveLength(LIMIT);
  await isShared(false);
  expect(counter.take('b', LIMIT)).toEqual({ counted: true, events: 1, used: 1, resetSeconds: 60, in: 'memory' });
  expect(counter.peek('b')).toEqual({ used: 1, resetSeconds: 60 });
  // Events that were counted in Redis are not refunded in memory.
  counter.refund('b', before);
  expect(counter.peek('b')).toMatchObject({ used: 1 });
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  await redis.start();
  await isShared(true);
  expect(await counter.take('a', LIMIT)).toMatchObject({ used: 1, in: 'redis' });
  expect(log.map((line) => JSON.parse(line).msg)).toEqual([
    'rate limits are shared through Redis',
    'Redis does not answer; this replica counts rate limits for itself',
    'rate limits are shared through Redis',
  ]);
  expect(await metric('rate_limits_fallbacks_total')).toBe(1);
});

test('a Redis that freezes: those who wait do so for no more than 50 ms, the others not at all, and back again', async () => {
  const [replica] = await startSharing(1);
  const { counter, isShared } = replica!;
  await redis.signal('SIGSTOP');
  const startedAt = performance.now();
  const taken = await Promise.all([counter.take('a', LIMIT), counter.take('a', LIMIT)]);
  // The limit is 50 ms. The rest allows for a busy machine.
  expect(performance.now() - startedAt).toBeLessThan(250);
  expect(taken.map(({ used, in: where }) => [used, where])).toEqual([
    [1, 'memory'],
    [2, 'memory'],
  ]);
  expect(counter.take('a', LIMIT)).toMatchObject({ used: 3, in: 'memory' });
  // Long enough for the silent connection to be closed.
  await new Promise((resolve) => setTimeout(resolve, 4_000));
  expect(counter.take('a', LIMIT)).toMatchObject({ used: 4, in: 'memory' });
  await redis.signal('SIGCONT');
  await isShared(true);
  expect(await counter.take('b', LIMIT)).toMatchObject({ in: 'redis' });
});

test('a Redis that answers and takes no writes is one that is away, and no back and forth', async () => {
  const [replica] = await startSharing(1);
  const { counter, log, isShared } = replica!;
  await redis.send('CONFIG SET maxmemory 1');
  expect(await counter.take('a', LIMIT)).toMatchObject({ counted: true, used: 1, in: 'memory' });
  await new Promise((resolve) => setTimeout(resolve, 2_500));
  expect(counter.take('a', LIMIT)).toMatchObject({ used: 2, in: 'memory' });
  expect(log).toHaveLength(2);
  await redis.send('CONFIG SET maxmemory 0');
  await isShared(true);
});

test('start does not wait for Redis: without one there is counting at once, and sharing when it comes', async () => {
  await redis.signal('SIGKILL');
  const { counter, log, isShared } = startReplica();
  expect(counter.take('a', LIMIT)).toMatchObject({ counted: true, used: 1, in: 'memory' });
  await vi.waitFor(() => expect(log).toHaveLength(1), { timeout: 5_000 });
  expect(JSON.parse(log[0]!)).toMatchObject({ level: 'warn', err: { code: 'ECONNREFUSED' } });
  await redis.start();
  await isShared(true);
  expect(await counter.take('a', LIMIT)).toMatchObject({ used: 1, in: 'redis' });
});

test('a wrong password of Redis is in the log without the password', async () => {
  await redis.send('CONFIG SET requirepass right-password');
  const { counter, log } = startReplica({ url: redis.url.replace('//', '//:hunter2@') });
  await vi.waitFor(() => expect(log).toHaveLength(1), { timeout: 5_000 });
  expect(log.join()).toContain('WRONGPASS');
  expect(log.join()).not.toContain('hunter2');
  expect(counter.take('a', LIMIT)).toMatchObject({ in: 'memory' });
});
