import {
  hasRedisServer,
  NO_REDIS_SERVER,
  type RedisServer,
  startRedisServer,
} from '@waymark/service-kit/test/redis-server';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { redirectId } from '../src/slugs/redirect-id.ts';
import { cheapHash } from './support/passwords.ts';
import { Service } from './support/service.ts';

const LIMIT = 4;

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

/** Waits until Redis has answered both replicas. They run a script there every second. */
async function bothShare() {
  const share = /name=waymark-limits .*cmd=eval /g;
  await vi.waitFor(async () => expect((await redis.send('CLIENT LIST')).match(share)).toHaveLength(2), {
    timeout: 30_000,
  });
  await new Promise((resolve) => setTimeout(resolve, 100));
}

/** Starts two replicas with one database and one Redis, and a link with the password "sesame". */
async function startTwo() {
  const config = { PASSWORD_TRIES_PER_MINUTE: LIMIT, REDIS_URL: redis.url };
  const one = await Service.start({ config, redisTimeoutMs: PATIENT_MS });
  cleanups.push(() => one.close());
  const other = await Service.start({ config, redisTimeoutMs: PATIENT_MS, databaseName: one.databaseName });
  cleanups.push(() => other.close());
  await bothShare();
  const account = await one.createAccount();
  await one.createLink(account.live, { slug: 'vault', password: 'sesame' });
  const password_hash = cheapHash('sesame');
  await one.database.collections.redirects.updateOne({ _id: redirectId(null, 'vault') }, { $set: { password_hash } });
  const post = async (replica: Service, password: string) => {
    const body = new URLSearchParams({ password });
    const response = await fetch(`${replica.origin}/vault`, { method: 'POST', redirect: 'manual', body });
    await response.body?.cancel();
    return response;
  };
  return { one, other, post };
}

test('"at most PASSWORD_TRIES_PER_MINUTE wrong tries for each link and address, then 429": of two replicas together', async () => {
  const { one, other, post } = await startTwo();
  for (const replica of [one, other, one, other, one, other])
    expect((await post(replica, 'sesame')).status, 'right ones are not counted').toBe(303);
  const tries = await Promise.all(Array.from({ length: 12 }, (_, i) => post(i % 2 === 0 ? one : other, 'wrong')));
  const statuses = tries.map(({ status }) => status).sort();
  expect(statuses).toEqual([...Array(LIMIT).fill(403), ...Array(12 - LIMIT).fill(429)]);
  for (const replica of [one, other]) {
    const refused = await post(replica, 'sesame');
    expect(refused.status).toBe(429);
    const waitSeconds = Number(refused.headers.get('retry-after'));
    expect(waitSeconds).toBeGreaterThan(40);
    expect(waitSeconds).toBeLessThanOrEqual(60);
  }
});

test('"Right ones are never 429 while the address has wrong tries left, however many come at once": also when one is left for two replicas', async () => {
  const { one, other, post } = await startTwo();
  for (let n = 1; n < LIMIT; n += 1) expect((await post(n % 2 === 0 ? one : other, 'wrong')).status).toBe(403);
  const right = await Promise.all(Array.from({ length: 10 }, (_, n) => post(n % 2 === 0 ? one : other, 'sesame')));
  expect(right.map(({ status }) => status)).toEqual(Array(10).fill(303));
  const wrong = await Promise.all(Array.from({ length: 6 }, (_, n) => post(n % 2 === 0 ? one : other, 'wrong')));
  expect(wrong.map(({ status }) => status).sort()).toEqual([403, ...Array(5).fill(429)]);
});

test('while Redis is down, each replica counts password tries on its own, and together again afterwards', async () => {
  const { one, other, post } = await startTwo();
  const fail = async (replica: Service, times: number) => {
    const statuses = [];
    for (let i = 0; i < times; i += 1) statuses.push((await post(replica, 'wrong')).status);
    return statuses;
  };
  expect(await fail(one, 2)).toEqual([403, 403]);
  await redis.signal('SIGKILL');
  for (const replica of [one, other]) expect(await fail(replica, LIMIT + 1)).toEqual([...Array(LIMIT).fill(403), 429]);
  expect((await post(one, 'sesame')).status).toBe(429);
  await redis.start();
  await bothShare();
  expect((await post(one, 'sesame')).status).toBe(303);
  expect([...(await fail(one, LIMIT - 1)), ...(await fail(other, 2))]).toEqual([403, 403, 403, 403, 429]);
});
