import { once } from 'node:events';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type ClientSession, type Collection, Long, MongoClient, type MongoServerError, UUID } from 'mongodb';
import { describe, expect, it, vi } from 'vitest';
import { isGiven, refusal, useServer } from './given-server.ts';
import { ask, open } from './raw-connection.ts';

const server = useServer();

interface Counter {
  _id: number;
  n: number;
  tags?: string[];
}

async function counters(count: number): Promise<Collection<Counter>> {
  const collection = server.collection<Counter>();
  await collection.insertMany(Array.from({ length: count }, (_, _id) => ({ _id, n: 0 })));
  return collection;
}

const inSnapshot = <T>(body: (session: ClientSession) => Promise<T>) =>
  server.client.withSession({ snapshot: true }, body);

const idsIn = async (collection: Collection<Counter>, session?: ClientSession) =>
  (
    await collection
      .find({}, session ? { session } : {})
      .sort({ _id: 1 })
      .toArray()
  ).map(({ _id }) => _id);

// A given server keeps its history for five minutes and may not have snapshot sessions at all.
describe.skipIf(isGiven)('a snapshot session', () => {
  it('reads what was committed at its first read, in all collections, while others write', async () => {
    const [one, two] = [await counters(2), await counters(1)];
    await one.createIndex({ tags: 1 });
    await inSnapshot(async (session) => {
      expect(await idsIn(one, session)).toEqual([0, 1]);
      await one.updateOne({ _id: 0 }, { $set: { n: 5, tags: ['a', 'b'] } });
      await one.deleteOne({ _id: 1 });
      await two.insertOne({ _id: 7, n: 7 });
      const created = server.collection<Counter>();
      await created.insertOne({ _id: 1, n: 1 });
      await one.createIndex({ n: 1 }, { name: 'later' });

      expect(await one.find({}, { session }).toArray()).toEqual([
        { _id: 0, n: 0 },
        { _id: 1, n: 0 },
      ]);
      expect(await one.countDocuments({ n: 0 }, { session })).toBe(2);
      expect(await one.countDocuments({ tags: { $in: ['a', 'b'] } }, { session })).toBe(0);
      expect(await idsIn(two, session)).toEqual([0]);
      expect(await idsIn(created, session)).toEqual([]);
      await refusal(one.find({}, { session, hint: 'later' }).toArray(), 2);
    });
    expect(await idsIn(one)).toEqual([0]);
    await inSnapshot(async (session) => expect(await idsIn(two, session)).toEqual([0, 7]));
  });

  it('reads the later batches of a cursor from the same snapshot', async () => {
    const collection = await counters(300);
    await inSnapshot(async (session) => {
      const cursor = collection.find({}, { session, batchSize: 100 });
      await cursor.next();
      await collection.deleteMany({});
      expect(await cursor.toArray()).toHaveLength(299);
      await collection.insertOne({ _id: 1000, n: 0 });
      expect(await collection.countDocuments({}, { session })).toBe(300);
    });
  });

  it('sees nothing of an open transaction, and does not wait for it', async () => {
    const collection = await counters(1);
    await server.client.withSession((writer) =>
      writer.withTransaction(async () => {
        await collection.insertOne({ _id: 1, n: 1 }, { session: writer });
        await inSnapshot(async (session) => expect(await idsIn(collection, session)).toEqual([0]));
      }),
    );
    await inSnapshot(async (session) => expect(await idsIn(collection, session)).toEqual([0, 1]));
  });

  it('only reads (72)', async () => {
    const collection = await counters(1);
    await inSnapshot((session) => refusal(collection.insertOne({ _id: 9, n: 0 }, { session }), 72));
    await inSnapshot((session) => refusal(server.db.command({ ping: 1 }, { session }), 72));
    await refusal(server.db.command({ find: 'c', readConcern: { level: 'linearizable' } }), 238);
  });

  it('that is too old, or the idlest of more than 1,000, ends (239), and the file reuses its pages then', async () => {
    const collection = await counters(2000);
    const sessions = Array.from({ length: 1_001 }, () => server.client.startSession({ snapshot: true }));
    for (const session of sessions.slice(0, 1_000)) await collection.findOne({ _id: 1 }, { session });
    expect(await collection.countDocuments({}, { session: sessions[0]! })).toBe(2000);
    await collection.findOne({ _id: 1 }, { session: sessions.at(-1)! });
    expect(await collection.countDocuments({}, { session: sessions[0]! })).toBe(2000);
    await refusal(idsIn(collection, sessions[1]), 239);
    expect(await collection.countDocuments({}, { session: sessions[2]! })).toBe(2000);

    const size = async () => (await stat(join(server.folder!, 'data.mdb'))).size;
    const write = async () => {
      for (let n = 0; n < 100; n += 1) await collection.updateOne({ _id: n }, { $currentDate: { n: true } as never });
    };
    const held = await size();
    await write();
    expect(await size()).toBeGreaterThan(held);
    const now = performance.now();
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => now + 61_000);
    await vi.waitFor(() => refusal(idsIn(collection, sessions.at(-1)), 239), { timeout: 10_000 });
    clock.mockRestore();
    await write();
    const free = await size();
    await write();
    expect(await size()).toBe(free);
    for (const session of sessions) await session.endSession();
  });

  it('ends when it is ended, when its session goes on to something else, and with its connection', async () => {
    const collection = await counters(1);
    const id = { lsid: { id: new UUID() }, $db: server.db.databaseName };
    const read = { find: collection.collectionName, ...id };
    const first = await open(server.url);
    const take = async (connection = first) => {
      const { cursor } = await ask(connection, { ...read, readConcern: { level: 'snapshot' } });
      return { ...read, readConcern: { level: 'snapshot', atClusterTime: cursor.atClusterTime } };
    };
    const again = await take();
    expect((await ask(first, again)).cursor.firstBatch).toHaveLength(1);
    await ask(first, { endSessions: [id.lsid], $db: 'admin' });
    expect(await ask(first, again)).toMatchObject({ code: 239, codeName: 'SnapshotTooOld' });

    const other = await take();
    await ask(first, read);
    expect(await ask(first, other)).toMatchObject({ code: 239 });

    const second = await open(server.url);
    const cut = await take(second);
    second.end();
    await once(second, 'close');
    await ask(first, { ping: 1, $db: 'admin' });
    expect(await ask(first, cut)).toMatchObject({ code: 239 });
    first.destroy();
  });
});

describe.skipIf(isGiven)('killSessions', () => {
  it('of another connection aborts the transaction of a session at once, also one that waits', async () => {
    const collection = await counters(1);
    const begin = () => ({
      lsid: { id: new UUID() },
      txnNumber: Long.fromNumber(1),
      startTransaction: true,
      autocommit: false,
      $db: server.db.databaseName,
    });
    const insert = (_id: number) => ({ insert: collection.collectionName, documents: [{ _id, n: 0 }] });
    const [holder, waiter] = [begin(), begin()];
    const connections = [await open(server.url), await open(server.url)] as const;
    await ask(connections[0], { ...insert(1), ...holder });
    const waiting = ask(connections[1], { ...insert(2), ...waiter });
    const other = await MongoClient.connect(server.url);
    await other.db('admin').command({ killSessions: [waiter.lsid, holder.lsid] });
    await collection.insertOne({ _id: 3, n: 0 });
    expect(await waiting).toMatchObject({ code: 251, errorLabels: ['TransientTransactionError'] });
    const { startTransaction: _, ...rest } = holder;
    expect(await ask(connections[0], { commitTransaction: 1, ...rest, $db: 'admin' })).toMatchObject({ code: 251 });
    expect(await idsIn(collection)).toEqual([0, 3]);
    await expect(other.db('admin').command({ killSessions: [] })).rejects.toMatchObject({
      code: 238,
    } satisfies Partial<MongoServerError>);
    await other.close();
    for (const connection of connections) connection.destroy();
  });

  it('is also what abortTransaction of another connection does', async () => {
    const collection = await counters(1);
    const id = { lsid: { id: new UUID() }, txnNumber: Long.fromNumber(1), autocommit: false };
    const [first, second] = [await open(server.url), await open(server.url)];
    const statement = { insert: collection.collectionName, documents: [{ _id: 1, n: 0 }], ...id };
    await ask(first, { ...statement, startTransaction: true, $db: server.db.databaseName });
    expect(await ask(second, { abortTransaction: 1, ...id, $db: 'admin' })).toMatchObject({ ok: 1 });
    await collection.insertOne({ _id: 1, n: 2 });
    expect(await ask(first, { commitTransaction: 1, ...id, $db: 'admin' })).toMatchObject({ code: 251 });
    for (const connection of [first, second]) connection.destroy();
  });
});
