import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { AppError, type Host } from '@waymark/contract';
import {
  type ClientSession,
  MongoClient,
  type MongoServerError,
  type ServerHeartbeatStartedEvent,
  type ServerSessionId,
} from 'mongodb';
import { afterEach, describe, expect, test, vi } from 'vitest';
import type { Collections } from '../src/database/collections.ts';
import { Database } from '../src/database/database.ts';
import { translateOutage } from '../src/database/database-errors.ts';
import { INDEXES_OF_LINKS } from '../src/database/migrations/0001-baseline.ts';
import { readInPieces } from '../src/database/read-in-pieces.ts';
import { startMongodbProxy } from './support/mongodb-proxy.ts';
import { mongodbUrl } from './support/mongodb-url.ts';
import { dropDatabase, Service, type TestAccount } from './support/service.ts';

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of cleanups.splice(0).reverse()) await end();
});

async function startProxy() {
  const proxy = await startMongodbProxy(mongodbUrl());
  cleanups.push(proxy.close);
  return proxy;
}

async function startBehind(url: string, untilReady = true) {
  const databaseName = `waymark_test_${randomBytes(6).toString('hex')}`;
  const service = await Service.start({ mongodbUrl: url, databaseName, untilReady });
  cleanups.push(async () => {
    await service.close();
    await dropDatabase(mongodbUrl(), databaseName);
  });
  return service;
}

/** Adds a host and returns it once the service knows it as verified. */
async function verifiedHost(service: Service, { live }: TestAccount): Promise<Host> {
  const { body } = await service.request<Host>(live, 'POST', '/api/v1/hosts', { body: { host: 'go.example.com' } });
  await service.database.collections.hosts.updateOne({ _id: body.id }, { $set: { status: 'verified' } });
  const root_url = 'https://example.com/';
  await service.request(live, 'PUT', `/api/v1/hosts/${body.id}`, { body: { root_url } });
  return body;
}

describe('an outage of MongoDB gives 503 with Retry-After', () => {
  for (const outage of ['cut', 'hanging'] as const) {
    test(`MongoDB ${outage}: every operation is 503, and works again afterwards`, async () => {
      const proxy = await startProxy();
      const service = await startBehind(proxy.url);
      const account = await service.createAccount();
      const link = await service.createLink(account.live);
      const host = await verifiedHost(service, account);
      proxy.set(outage);
      const operations = await Promise.all([
        service.list(account.live),
        service.list(account.live, { q: 'x', sort: 'title' }),
        service.get(account.live, link.id),
        service.create(account.live, { destination_url: 'https://example.com' }),
        service.create(account.live, { destination_url: 'https://example.com' }, { 'idempotency-key': 'k' }),
        service.update(account.live, link.id, { title: 'x' }),
        service.update(account.live, link.id, { note: 'x' }),
        service.delete(account.live, link.id),
        service.request(account.live, 'GET', '/api/v1/hosts'),
        service.request(account.live, 'POST', '/api/v1/hosts', { body: { host: 'to.example.com' } }),
        service.request(account.live, 'PUT', `/api/v1/hosts/${host.id}`, { body: { root_url: null } }),
        service.request(account.live, 'POST', `/api/v1/hosts/${host.id}/verify`),
        service.request(account.live, 'DELETE', `/api/v1/hosts/${host.id}`),
        service.request(null, 'GET', '/nothing-here'),
        service.request(null, 'GET', '/readyz'),
      ]);
      for (const result of operations) {
        expect(result.status).toBe(503);
        expect(result.headers.get('retry-after')).toBe('1');
        expect(result.body).toEqual({ error: expect.not.stringMatching(/127\.0\.0\.1|ECONN|Mongo[A-Z]/) });
      }
      await expect(service.resolveKey(account.liveKey)).rejects.toMatchObject({ code: 'unavailable' });
      // Verified hosts are known without a database.
      expect((await service.request(null, 'GET', `/internal/tls-allowed?domain=${host.host}`)).status).toBe(200);
      // The account of an identity needs no database.
      expect((await service.request(account.live, 'GET', '/api/v1/me')).status).toBe(200);

      // The polls of the log are counted, too.
      await expect.poll(() => service.metric('log_follower_failures_total'), { interval: 200 }).not.toBe(0);

      proxy.set('open');
      await expect.poll(async () => (await service.get(account.live, link.id)).status, { interval: 200 }).toBe(200);
      // Changes have connections of their own.
      const update = async () => (await service.update(account.live, link.id, { title: 'y' })).body.title;
      await expect.poll(update, { interval: 200 }).toBe('y');
    });
  }

  test('also if it begins in the middle of a creation', async () => {
    const statusOf = async (messages: number) => {
      const proxy = await startProxy();
      const service = await startBehind(proxy.url);
      const { live } = await service.createAccount();
      const { id } = await service.createLink(live);
      proxy.cutAfter(messages);
      const { status } = await service.create(live, { destination_url: 'https://example.com' });
      proxy.set('open');
      await expect.poll(async () => (await service.get(live, id)).status, { interval: 50 }).toBe(200);
      return status;
    };
    const statuses = await Promise.all([0, 1, 2, 3, 4, 5].map(statusOf));
    expect(statuses.filter((status) => status !== 201 && status !== 503)).toEqual([]);
    expect(statuses).toContain(503);
  });

  test('is over when a MongoDB that was killed during requests returns', async () => {
    const proxy = await startProxy();
    const service = await startBehind(proxy.url);
    const account = await service.createAccount();
    const link = await service.createLink(account.live);
    const ok = async () => (await service.get(account.live, link.id)).status;
    // Longer than the driver's pause between two checks of a server, so that a check runs at the moment of the kill.
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    proxy.set('hanging');
    const pending = Array.from({ length: 9 }, ok);
    await new Promise((resolve) => setTimeout(resolve, 100));
    proxy.set('open');
    await Promise.all(pending);
    await expect.poll(ok, { interval: 200 }).toBe(200);
  });

  test('never looks like the end of what is read, or like an error of the service, when a stuck client is replaced', async () => {
    const clients: MongoClient[] = [];
    const databaseName = `waymark_test_${randomBytes(6).toString('hex')}`;
    const database = new Database({
      url: mongodbUrl(),
      database: databaseName,
      onClient: (client) => clients.push(client),
    });
    cleanups.push(() => dropDatabase(mongodbUrl(), databaseName));
    cleanups.push(() => database.close());
    await database.whenPrepared();
    const ids = Array.from({ length: 300 }, (_, n) => String(n).padStart(3, '0'));
    await database.collections.usedChallenges.insertMany(
      ids.map((_id) => ({ _id, expires_at: new Date(Date.now() + 3.6e6) })),
    );
    const pieces = readInPieces(database, (session) => database.collections.usedChallenges.find({}, { session }), {
      size: 100,
    });
    expect((await pieces.next()).value).toHaveLength(100);

    let isReplaced = false;
    const outcomes = new Set<unknown>();
    const readAgain = async (read: () => Promise<number>) => {
      while (!isReplaced) outcomes.add(await read().catch((error) => (error instanceof AppError ? error.code : error)));
    };
    const query = ({ usedChallenges }: Collections, session?: ClientSession) =>
      usedChallenges.find({}, { ...(session && { session }) }).toArray();
    const reading = [
      ...Array.from({ length: 8 }, () =>
        readAgain(() => database.run(() => database.collections.usedChallenges.countDocuments())),
      ),
      ...Array.from({ length: 8 }, () =>
        readAgain(async () => (await database.run(() => query(database.collections))).length),
      ),
      ...Array.from({ length: 8 }, () =>
        readAgain(async () => {
          const count = database.transaction(
            async ({ collections, session }) => (await query(collections, session)).length,
          );
          return count.catch((error) => Promise.reject(translateOutage(error)));
        }),
      ),
    ];
    // The driver's report of a check that does not end.
    const check = { connectionId: '127.0.0.1:1', awaited: false } as ServerHeartbeatStartedEvent;
    for (const client of [...clients]) client.emit('serverHeartbeatStarted', check);
    await vi.waitFor(() => expect(clients).toHaveLength(4), { timeout: 30_000, interval: 10 });
    isReplaced = true;
    await Promise.all(reading);
    // The old client may be closed a moment later: what is read goes on until then.
    let count = 100;
    const readOn = async () => {
      for await (const piece of pieces) count += piece.length;
      return count;
    };
    expect([ids.length, 'unavailable']).toContain(await readOn().catch(({ code }: AppError) => code));
    expect(await database.run(() => database.collections.usedChallenges.countDocuments())).toBe(ids.length);
    expect([...outcomes].filter((one) => one !== ids.length && one !== 'unavailable')).toEqual([]);
  });

  test('leaves nothing open in the database of a read that gets no response', async () => {
    const proxy = await startProxy();
    const databaseName = `waymark_test_${randomBytes(6).toString('hex')}`;
    const database = new Database({ url: proxy.url, database: databaseName });
    const direct = new MongoClient(mongodbUrl());
    cleanups.push(() => dropDatabase(mongodbUrl(), databaseName));
    cleanups.push(() => database.close());
    cleanups.push(() => direct.close());
    await database.whenPrepared();
    const expires_at = new Date(Date.now() + 3.6e6);
    await database.collections.usedChallenges.insertMany(
      // More than the poll below reads.
      Array.from({ length: 1_000 }, (_, n) => ({ _id: String(n), expires_at })),
    );
    const responses = proxy.withhold('find');
    const lsids: ServerSessionId[] = [];
    const pieces = readInPieces(
      database,
      (session) => {
        lsids.push(session.serverSession.id);
        return database.collections.usedChallenges.find({}, { session });
      },
      { size: 100 },
    );
    await expect(pieces.next()).rejects.toMatchObject({ code: 'unavailable' });
    const getMore = {
      getMore: responses[0]!.cursor.id as bigint,
      collection: database.collections.usedChallenges.collectionName,
      lsid: lsids[0]!,
      batchSize: 1,
    };
    const readOn = () =>
      direct
        .db(databaseName)
        .command(getMore)
        .then(
          () => 'read',
          (error: MongoServerError) => error.codeName,
        );
    await expect.poll(readOn, { interval: 100 }).toBe('CursorNotFound');
  });

  test('leaves a starting service not ready while MongoDB is cut or hanging, and not longer', async () => {
    // The driver gives up its first connection after three seconds, and never connects again by itself.
    const outages = [
      ['cut', 0],
      ['cut', 5_000],
      ['hanging', 5_000],
    ] as const;
    await Promise.all(
      outages.map(async ([outage, ms]) => {
        const proxy = await startProxy();
        proxy.set(outage);
        const service = await startBehind(proxy.url, false);
        const ready = async () => (await service.request(null, 'GET', '/readyz')).status;
        await sleep(ms);
        expect(await ready(), outage).toBe(503);
        expect((await service.request(null, 'GET', '/livez')).status).toBe(200);
        proxy.set('open');
        await expect.poll(ready, { interval: 200 }).toBe(200);
        const account = await service.createAccount();
        await service.createLink(account.live);
      }),
    );
  });
});

test('replicas that start together on an empty database create its indexes once', async () => {
  const databaseName = `waymark_test_${randomBytes(6).toString('hex')}`;
  cleanups.push(() => dropDatabase(mongodbUrl(), databaseName));
  const replicas = await Promise.all(Array.from({ length: 4 }, () => Service.start({ databaseName })));
  cleanups.push(() => Promise.all(replicas.map((replica) => replica.close())));
  const account = await replicas[0]!.createAccount();
  const answers = await Promise.all(
    replicas.map((replica) => replica.create(account.live, { destination_url: 'https://example.com', slug: 'same' })),
  );
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 422, 422, 422]);
  const indexes = await replicas[0]!.database.collections.links.indexes();
  const names = ['_id_', ...INDEXES_OF_LINKS.map(({ name }) => name), 'managed_by', 'broken'];
  expect(indexes.map(({ name }) => name).sort()).toEqual(names.sort());
});
