import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Long, MongoClient, UUID } from 'mongodb';
import { describe, expect, it } from 'vitest';
import { isGiven, refusal, useServer } from './given-server.ts';
import { ask, open } from './raw-connection.ts';

const server = useServer();

interface Link {
  _id: number;
  a: number;
  text: string;
}

async function links(count: number) {
  const collection = server.collection<Link>();
  await collection.createIndex({ a: 1 });
  await collection.insertMany(Array.from({ length: count }, (_, _id) => ({ _id, a: _id % 10, text: 'x'.repeat(200) })));
  return collection;
}

describe('a cursor', () => {
  it('returns all documents once, in batches of any size, and stops at the limit', async () => {
    const collection = await links(1000);
    for (const batchSize of [1, 101, 999, 5000]) {
      const sorted = await collection
        .find({ a: { $gt: 2 } }, { batchSize })
        .sort({ a: -1, _id: 1 })
        .toArray();
      expect(sorted.map(({ _id }) => _id)).toEqual(
        [9, 8, 7, 6, 5, 4, 3].flatMap((a) => Array.from({ length: 100 }, (_, n) => n * 10 + a)),
      );
    }
    expect(await collection.find().limit(250).batchSize(100).toArray()).toHaveLength(250);
  });

  it.skipIf(isGiven)('continues at its position when documents change meanwhile', async () => {
    const collection = server.collection<{ _id: number; state: string }>();
    await collection.createIndex({ state: 1, _id: 1 });
    await collection.insertMany(Array.from({ length: 100 }, (_, _id) => ({ _id, state: 'abc'[_id % 3] as string })));
    const cursor = collection.find({ state: { $in: ['a', 'b'] } }, { batchSize: 10 }).sort({ _id: 1 });
    const seen: number[] = [];
    for (let at = 0; at < 10; at += 1) seen.push((await cursor.next())!._id);
    await collection.deleteOne({ _id: 15 });
    await collection.updateOne({ _id: 16 }, { $set: { state: 'c' } });
    await collection.updateOne({ _id: 17 }, { $set: { state: 'b' } });
    for await (const link of cursor) seen.push(link._id);
    const listed = Array.from({ length: 100 }, (_, _id) => _id).filter((_id) => _id % 3 < 2);
    expect(seen).toEqual([...listed.filter((_id) => _id < 15), 17, ...listed.filter((_id) => _id > 17)]);
  });

  it('is unknown after it was killed, and after its session ended (43)', async () => {
    const { collectionName } = await links(10);
    const first = async (options = {}) => {
      const { cursor } = await server.db.command({ find: collectionName, batchSize: 2 }, options);
      return Long.fromBigInt(BigInt(cursor.id));
    };
    const getMore = await first();
    await server.db.command({ killCursors: collectionName, cursors: [getMore] });
    await refusal(server.db.command({ getMore, collection: collectionName }), 43);
    if (isGiven) return; // there, cursors of a session only time out
    const session = server.client.startSession();
    const ofSession = await first({ session });
    await server.db.admin().command({ endSessions: [session.id] });
    await refusal(server.db.command({ getMore: ofSession, collection: collectionName }, { session }), 43);
    await session.endSession();
  });
});

it.skipIf(isGiven)('a long scan lets other commands run, and ends after maxTimeMS (50)', async () => {
  const collection = await links(30_000);
  const ended: string[] = [];
  const scan = collection
    .find({ text: 'nowhere' })
    .toArray()
    .then(() => ended.push('scan'));
  // The first command may arrive before the scan, the second arrives within it.
  for (const name of ['first', 'second']) await server.db.command({ ping: 1 }).then(() => ended.push(name));
  await scan;
  expect(ended).toEqual(['first', 'second', 'scan']);
  await refusal(collection.find({ text: 'nowhere' }, { maxTimeMS: 1 }).toArray(), 50);
});

it.skipIf(isGiven)('a retried write is applied once, and answered as at first', async () => {
  const collection = server.collection();
  const command = (txnNumber: number, n: number) => ({
    insert: collection.collectionName,
    documents: [{ n }],
    lsid: { id: SESSION },
    txnNumber: Long.fromNumber(txnNumber),
    $db: server.db.databaseName,
  });
  const SESSION = new UUID();
  const connections = await Promise.all([open(server.url), open(server.url)]);
  const first = await ask(connections[0], command(5, 1));
  expect(first).toMatchObject({ ok: 1, n: 1 });
  expect(await ask(connections[1], command(5, 1))).toEqual(first);
  expect(await ask(connections[1], command(4, 2))).toMatchObject({ code: 225 });
  expect(await ask(connections[1], command(6, 3))).toMatchObject({ n: 1 });
  expect(
    await collection
      .find()
      .map(({ n }) => n)
      .toArray(),
  ).toEqual([1, 3]);
  for (const connection of connections) connection.destroy();
});

// LMDB reuses a page once no reader can see its old content: a reader that stays open makes the file grow.
it.skipIf(isGiven)('the file reuses its pages after reads that end in every way', { timeout: 120_000 }, async () => {
  const collection = await links(3000);
  await collection.insertOne({ _id: -1, a: 0, text: { no: 'order' } as never });
  const reads: (() => Promise<unknown>)[] = [
    () => collection.find().skip(5).limit(5).toArray(),
    () => collection.find({ a: 1 }).sort({ text: 1 }).limit(5).toArray(),
    () => collection.find().sort({ text: 1 }).toArray(),
    () => collection.find({}, { batchSize: 2 }).next(),
    () => collection.find({}, { batchSize: 2, maxTimeMS: 1 }).sort({ text: 1 }).toArray(),
    () => collection.countDocuments({ a: { $in: [1, 2] } }, { limit: 3 }),
    () => collection.updateOne({ a: 1 }, { $foo: { text: 1 } } as never),
    () => collection.listIndexes().batchSize(1).next(),
    async () => {
      const other = await MongoClient.connect(server.url);
      const reading = other
        .db(server.db.databaseName)
        .collection(collection.collectionName)
        .find({ text: 'no' })
        .toArray();
      await Promise.all([other.close(), reading.catch(String)]);
    },
  ];
  const size = async () => (await stat(join(server.folder!, 'data.mdb'))).size;
  const write = async () => {
    for (let n = 0; n < 100; n += 1) await collection.updateOne({ _id: n }, { $set: { text: `${Math.random()}` } });
  };
  for (const read of reads) await read().catch(String);
  await write();
  const before = await size();
  for (const read of reads) {
    await read().catch(String);
    await write();
  }
  expect(await size()).toBe(before);
});
