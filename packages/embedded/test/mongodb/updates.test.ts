import { Double, Int32, Long, MongoServerError, UUID } from 'mongodb';
import { describe, expect, it } from 'vitest';
import { isGiven, refusal, useServer } from './given-server.ts';
import { sendRaw } from './raw-connection.ts';

const server = useServer();

async function updated(
  document: object,
  update: object,
  options: object = {},
  filter: object = {},
): Promise<object | null> {
  const links = server.collection<{ _id: number }>();
  await links.insertOne({ _id: 1, ...document });
  await links.updateOne(filter, update as never, options);
  return links.findOne({}, { projection: { _id: 0 } });
}

describe('update operators', () => {
  it.each<[string, object, object, object]>([
    ['$set', { a: 1 }, { $set: { a: 2, b: 3 } }, { a: 2, b: 3 }],
    ['$unset', { a: 1, b: 2 }, { $unset: { a: '', z: '' } }, { b: 2 }],
    ['$inc', { a: 1 }, { $inc: { a: 2, b: 5 } }, { a: 3, b: 5 }],
    ['$max', { a: 5, b: 5 }, { $max: { a: 3, b: 9, c: 1 } }, { a: 5, b: 9, c: 1 }],
    ['$max of dates', { a: new Date(5) }, { $max: { a: new Date(9) } }, { a: new Date(9) }],
    ['$push', { a: [1] }, { $push: { a: 2, b: 3 } }, { a: [1, 2], b: [3] }],
    ['$pull of documents', { a: [{ x: 1, y: 1 }, { x: 2 }] }, { $pull: { a: { x: 1 } } }, { a: [{ x: 2 }] }],
    ['$setOnInsert on an update', { a: 1 }, { $setOnInsert: { b: 1 } }, { a: 1 }],
  ])('%s', async (_name, document, update, expected) => {
    expect(await updated(document, update)).toEqual(expected);
  });

  it('$ is the element that the filter matched', async () => {
    expect(await updated({ a: [{ x: 1 }, { x: 2 }] }, { $set: { 'a.$': { x: 9 } } }, {}, { 'a.x': 2 })).toEqual({
      a: [{ x: 1 }, { x: 9 }],
    });
  });

  it('$inc keeps and widens number types as MongoDB does', async () => {
    const links = server.collection<{ _id: number }>();
    await links.insertOne({
      _id: 1,
      int: new Int32(2 ** 31 - 1),
      long: Long.fromNumber(1),
      double: new Double(1),
    } as never);
    await links.updateOne({}, { $inc: { int: 1, long: 1, double: 1 } } as never);
    const found = await links.findOne({}, { promoteValues: false, projection: { _id: 0 } });
    expect(found).toEqual({ int: Long.fromNumber(2 ** 31), long: Long.fromNumber(2), double: new Double(2) });
  });

  it('$currentDate sets the time', async () => {
    const found = (await updated({}, { $currentDate: { at: true } })) as { at: Date };
    expect(Math.abs(found.at.getTime() - Date.now())).toBeLessThan(5000);
  });

  it('distinguishes matched from modified', async () => {
    const links = server.collection<{ _id: number; a: number }>();
    await links.insertMany([
      { _id: 1, a: 1 },
      { _id: 2, a: 2 },
    ]);
    expect(await links.updateMany({}, { $set: { a: 2 } })).toMatchObject({ matchedCount: 2, modifiedCount: 1 });
    expect(await links.updateOne({ _id: 9 }, { $set: { a: 2 } })).toMatchObject({ matchedCount: 0, modifiedCount: 0 });
  });

  it.each<[string, object, object, number]>([
    ['an unknown operator (9)', {}, { $foo: { a: 1 } }, 9],
    ['two operators on one path (40)', {}, { $set: { a: 1 }, $inc: { a: 1 } }, 40],
    ['a change of _id (66)', {}, { $set: { _id: 2 } }, 66],
    ['$inc of a string (14)', { a: 'x' }, { $inc: { a: 1 } }, 14],
    ['$inc by a string (14)', { a: 1 }, { $inc: { a: 'x' } }, 14],
    ['$push to a value (2)', { a: 1 }, { $push: { a: 1 } }, 2],
  ])('refuse %s', async (_name, document, update, code) => {
    await refusal(updated(document, update), code);
  });
});

describe('upsert', () => {
  it('starts from the equalities of the filter', async () => {
    const links = server.collection<{ _id: number }>();
    const result = await links.updateOne(
      { _id: 5, a: 1, b: { $exists: false } } as never,
      { $inc: { n: 1 }, $setOnInsert: { s: 'x' } } as never,
      { upsert: true },
    );
    expect(result).toMatchObject({ upsertedCount: 1, upsertedId: 5 });
    expect(await links.findOne()).toEqual({ _id: 5, a: 1, n: 1, s: 'x' });
  });

  it('of a unique value by concurrent writers creates one document', async () => {
    const counters = server.collection<{ _id: string; n: number }>();
    const upserts = Array.from({ length: 32 }, () =>
      counters.updateOne({ _id: 'x' }, { $inc: { n: 1 } }, { upsert: true }).catch((error: unknown) => {
        // MongoDB may report a duplicate key to the loser of the race, which then tries again.
        if (!(error instanceof MongoServerError) || error.code !== 11000) throw error;
        return counters.updateOne({ _id: 'x' }, { $inc: { n: 1 } });
      }),
    );
    await Promise.all(upserts);
    expect(await counters.findOne()).toEqual({ _id: 'x', n: 32 });
  });
});

describe('findAndModify', () => {
  it('returns the document before or after the update', async () => {
    const links = server.collection<{ _id: number; n: number }>();
    await links.insertOne({ _id: 1, n: 1 });
    expect(await links.findOneAndUpdate({ _id: 1 }, { $inc: { n: 1 } })).toEqual({ _id: 1, n: 1 });
    expect(await links.findOneAndUpdate({ _id: 1 }, { $inc: { n: 1 } }, { returnDocument: 'after' })).toEqual({
      _id: 1,
      n: 3,
    });
    expect(await links.findOneAndUpdate({ _id: 2 }, { $inc: { n: 1 } })).toBeNull();
    const project = { projection: { _id: 0 }, returnDocument: 'after' } as const;
    expect(await links.findOneAndUpdate({ _id: 1 }, { $inc: { n: 1 } }, project)).toEqual({ n: 4 });
  });

  it('removes a document and returns it', async () => {
    const jobs = server.collection<{ _id: number; at: number }>();
    await jobs.insertMany([
      { _id: 1, at: 5 },
      { _id: 2, at: 9 },
    ]);
    expect(await jobs.findOneAndDelete({ at: 9 }, { projection: { at: 0 } })).toEqual({ _id: 2 });
    const result = await jobs.findOneAndDelete({ _id: 1 }, { includeResultMetadata: true });
    expect(result).toMatchObject({ value: { _id: 1, at: 5 }, lastErrorObject: { n: 1 } });
    expect(await jobs.countDocuments()).toBe(0);
  });

  it('loses no increment under 64 writers', async () => {
    const counters = server.collection<{ _id: string; n: number }>();
    await counters.insertOne({ _id: 'revision', n: 0 });
    const values = await Promise.all(
      Array.from({ length: 64 }, async () => {
        const after = await counters.findOneAndUpdate(
          { _id: 'revision' },
          { $inc: { n: 1 } },
          { returnDocument: 'after' },
        );
        return after?.n;
      }),
    );
    expect(new Set(values).size).toBe(64);
    expect(await counters.findOne()).toEqual({ _id: 'revision', n: 64 });
  });
});

describe('retryable writes', () => {
  it('returns the first reply for the same session and txnNumber, and applies the write once', async () => {
    if (isGiven) return; // the given server's gateway does not store replies
    const counters = server.collection<{ _id: number; n: number }>();
    await counters.insertOne({ _id: 1, n: 0 });
    const lsid = { id: new UUID() };
    const command = (txnNumber: number) => ({
      update: counters.collectionName,
      updates: [{ q: { _id: 1 }, u: { $inc: { n: 1 } } }],
      lsid,
      txnNumber: Long.fromNumber(txnNumber),
    });
    const first = await sendRaw(server.url, { ...command(5), $db: server.db.databaseName });
    expect(first).toMatchObject({ ok: 1, nModified: 1 });
    const again = await sendRaw(server.url, { ...command(5), $db: server.db.databaseName });
    expect(again).toEqual(first);
    expect(await counters.findOne()).toEqual({ _id: 1, n: 1 });
    expect(await sendRaw(server.url, { ...command(4), $db: server.db.databaseName })).toMatchObject({
      ok: 0,
      code: 225,
    });
    expect(await sendRaw(server.url, { ...command(6), $db: server.db.databaseName })).toMatchObject({
      ok: 1,
      nModified: 1,
    });
  });
});
