import { Long } from 'mongodb';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { isGiven, refusal, useServer } from './given-server.ts';

const server = useServer();

describe('cursors', () => {
  let name: string;
  beforeAll(async () => {
    const links = server.collection<{ _id: number; a: number; text: string }>();
    name = links.collectionName;
    await links.createIndex({ a: 1 });
    await links.insertMany(Array.from({ length: 1000 }, (_, _id) => ({ _id, a: _id % 10, text: 'x'.repeat(100) })));
  });

  it.each([1, 3, 100, 101, 999, 5000])('return all documents once in batches of %i', async (batchSize) => {
    const links = server.db.collection<{ _id: number; a: number }>(name);
    const ids = await links
      .find({}, { batchSize })
      .map((link) => link._id)
      .toArray();
    expect(new Set(ids).size).toBe(1000);
    const sorted = await links
      .find({ a: { $gt: 2 } }, { batchSize })
      .sort({ a: -1, _id: 1 })
      .toArray();
    expect(sorted).toHaveLength(700);
    expect(sorted.every((link, at) => at === 0 || (sorted[at - 1]?.a ?? 0) >= link.a)).toBe(true);
  });

  it('stop at the limit, also within a batch, and for a single batch', async () => {
    const links = server.db.collection<{ _id: number }>(name);
    expect(await links.find().limit(250).batchSize(100).toArray()).toHaveLength(250);
    const reply = await server.db.command({ find: name, batchSize: 5, singleBatch: true });
    expect(reply.cursor.firstBatch).toHaveLength(5);
    expect(Number(reply.cursor.id)).toBe(0);
  });

  it('start with an empty batch if requested', async () => {
    const reply = await server.db.command({ find: name, batchSize: 0 });
    expect(reply.cursor.firstBatch).toEqual([]);
    const more = await server.db.command({
      getMore: Long.fromBigInt(BigInt(reply.cursor.id)),
      collection: name,
      batchSize: 3,
    });
    expect(more.cursor.nextBatch).toHaveLength(3);
    await server.db.command({ killCursors: name, cursors: [Long.fromBigInt(BigInt(reply.cursor.id))] });
  });

  it('continue at their position when documents change meanwhile', async () => {
    if (isGiven) return; // on a given server, the plan decides whether a cursor is a snapshot
    const links = server.collection<{ _id: number; a: number }>();
    await links.createIndex({ a: 1 });
    await links.insertMany(Array.from({ length: 100 }, (_, _id) => ({ _id, a: _id })));
    const cursor = links.find({ a: { $gt: -1 } }, { batchSize: 10 }).sort({ a: 1 });
    const seen: number[] = [];
    for (let at = 0; at < 10; at += 1) seen.push((await cursor.next())?._id ?? -1);
    await links.deleteMany({ a: { $lt: 50 } });
    await links.insertOne({ _id: 200, a: 200 });
    for await (const link of cursor) seen.push(link._id);
    expect(seen).toEqual([
      ...Array.from({ length: 10 }, (_, n) => n),
      ...Array.from({ length: 50 }, (_, n) => n + 50),
      200,
    ]);
  });

  it('that merge the parts of an index continue at their position, too', async () => {
    if (isGiven) return; // on a given server, the plan decides whether a cursor is a snapshot
    const links = server.collection<{ _id: number; state: string }>();
    await links.createIndex({ state: 1, _id: 1 });
    await links.insertMany(Array.from({ length: 100 }, (_, _id) => ({ _id, state: 'abc'[_id % 3] as string })));
    const cursor = links.find({ state: { $in: ['a', 'b'] } }, { batchSize: 10 }).sort({ _id: 1 });
    const seen: number[] = [];
    for (let at = 0; at < 10; at += 1) seen.push((await cursor.next())?._id ?? -1);
    await links.deleteOne({ _id: 15 });
    await links.updateOne({ _id: 16 }, { $set: { state: 'c' } });
    await links.updateOne({ _id: 17 }, { $set: { state: 'b' } });
    for await (const link of cursor) seen.push(link._id);
    const listed = Array.from({ length: 100 }, (_, _id) => _id).filter((_id) => _id % 3 < 2);
    expect(seen).toEqual([...listed.filter((_id) => _id < 15), 17, ...listed.filter((_id) => _id > 17)]);
  });

  it('of a long scan let other commands run in between', async () => {
    if (isGiven) return; // a given server may schedule its work differently
    const links = server.collection<{ _id: number; text: string }>();
    await links.insertMany(Array.from({ length: 30_000 }, (_, _id) => ({ _id, text: `text ${_id} `.repeat(10) })));
    const pingsDuringScan = async () => {
      let isScanning = true;
      let pings = 0;
      const scan = links.find({ text: { $regex: 'nowhere|text 29999 ' } }).toArray();
      const ended = scan.finally(() => {
        isScanning = false;
      });
      while (isScanning) {
        await server.db.command({ ping: 1 });
        if (isScanning) pings += 1;
      }
      expect(await ended).toMatchObject([{ _id: 29_999 }]);
      return pings;
    };
    // The first ping may arrive before the scan. On a busy machine, a scan may end before the next ping is sent.
    await vi.waitFor(async () => expect(await pingsDuringScan()).toBeGreaterThan(2), { timeout: 15_000 });
  });

  it('are unknown after they were killed (43)', async () => {
    const reply = await server.db.command({ find: name, batchSize: 2 });
    const id = Long.fromBigInt(BigInt(reply.cursor.id));
    const killed = await server.db.command({ killCursors: name, cursors: [id] });
    expect(killed.cursorsKilled).toHaveLength(1);
    await refusal(server.db.command({ getMore: id, collection: name }), 43);
    await refusal(server.db.command({ getMore: Long.fromNumber(123456), collection: name }), 43);
  });

  it('of a session end with it (43)', async () => {
    if (isGiven) return; // on a given server, cursors only time out
    const session = server.client.startSession();
    const reply = await server.db.command({ find: name, batchSize: 2 }, { session });
    await server.db.admin().command({ endSessions: [session.id] });
    await refusal(server.db.command({ getMore: reply.cursor.id, collection: name }, { session }), 43);
    await session.endSession();
  });
});
