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
    ['$set of paths', { a: { b: 1 } }, { $set: { 'a.c': 2, 'x.y': 3 } }, { a: { b: 1, c: 2 }, x: { y: 3 } }],
    ['$set of a position', { a: [1] }, { $set: { 'a.3': 4 } }, { a: [1, null, null, 4] }],
    ['$unset', { a: 1, b: { c: 1, d: 2 } }, { $unset: { a: '', 'b.c': '', z: '' } }, { b: { d: 2 } }],
    ['$inc', { a: 1 }, { $inc: { a: 2, b: 5 } }, { a: 3, b: 5 }],
    ['$mul', { a: 3 }, { $mul: { a: 2, b: 5 } }, { a: 6, b: 0 }],
    ['$min and $max', { a: 5, b: 5 }, { $min: { a: 3 }, $max: { b: 3, c: 1 } }, { a: 3, b: 5, c: 1 }],
    ['$max of dates', { a: new Date(5) }, { $max: { a: new Date(9) } }, { a: new Date(9) }],
    ['$rename', { a: 1, b: 2 }, { $rename: { a: 'c' } }, { b: 2, c: 1 }],
    ['$push', { a: [1] }, { $push: { a: 2, b: 3 } }, { a: [1, 2], b: [3] }],
    ['$push with modifiers', { a: [5, 1] }, { $push: { a: { $each: [4, 2], $sort: 1, $slice: 3 } } }, { a: [1, 2, 4] }],
    ['$push at a position', { a: [1, 3] }, { $push: { a: { $each: [2], $position: 1 } } }, { a: [1, 2, 3] }],
    ['$addToSet', { a: [1] }, { $addToSet: { a: { $each: [1, 2] } } }, { a: [1, 2] }],
    ['$pull by value', { a: [1, 2, 1] }, { $pull: { a: 1 } }, { a: [2] }],
    ['$pull by condition', { a: [1, 5, 9] }, { $pull: { a: { $gte: 5 } } }, { a: [1] }],
    ['$pull of documents', { a: [{ x: 1, y: 1 }, { x: 2 }] }, { $pull: { a: { x: 1 } } }, { a: [{ x: 2 }] }],
    ['$pullAll', { a: [1, 2, 3] }, { $pullAll: { a: [1, 3] } }, { a: [2] }],
    ['$pop', { a: [1, 2, 3], b: [1, 2] }, { $pop: { a: 1, b: -1 } }, { a: [1, 2], b: [2] }],
    ['$setOnInsert on an update', { a: 1 }, { $setOnInsert: { b: 1 } }, { a: 1 }],
    ['the positions of all elements', { a: [1, 2] }, { $inc: { 'a.$[]': 10 } }, { a: [11, 12] }],
    ['a pipeline', { a: 1, b: 2 }, [{ $set: { c: { $add: ['$a', '$b'] } } }, { $unset: 'a' }], { b: 2, c: 3 }],
    [
      'a pipeline with a condition',
      { n: 5 },
      [{ $set: { n: { $cond: [{ $gt: ['$n', 3] }, '$n', 0] }, t: { $ifNull: ['$t', 'none'] } } }],
      { n: 5, t: 'none' },
    ],
  ])('%s', async (_name, document, update, expected) => {
    expect(await updated(document, update)).toEqual(expected);
  });

  it('$ is the element that the filter matched', async () => {
    expect(await updated({ a: [{ x: 1 }, { x: 2 }] }, { $set: { 'a.$.y': 9 } }, {}, { 'a.x': 2 })).toEqual({
      a: [{ x: 1 }, { x: 2, y: 9 }],
    });
  });

  it('$[name] are the elements that an array filter passes', async () => {
    const options = { arrayFilters: [{ 'e.x': { $gte: 2 } }] };
    expect(await updated({ a: [{ x: 1 }, { x: 2 }, { x: 3 }] }, { $set: { 'a.$[e].ok': true } }, options)).toEqual({
      a: [{ x: 1 }, { x: 2, ok: true }, { x: 3, ok: true }],
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

  it('tells matched from modified', async () => {
    const links = server.collection<{ _id: number; a: number }>();
    await links.insertMany([
      { _id: 1, a: 1 },
      { _id: 2, a: 2 },
    ]);
    expect(await links.updateMany({}, { $set: { a: 2 } })).toMatchObject({ matchedCount: 2, modifiedCount: 1 });
    expect(await links.updateOne({ _id: 9 }, { $set: { a: 2 } })).toMatchObject({ matchedCount: 0, modifiedCount: 0 });
  });

  it('replaces a document and keeps its _id', async () => {
    const links = server.collection<{ _id: number; a?: number; b?: number }>();
    await links.insertOne({ _id: 1, a: 1 });
    await links.replaceOne({ a: 1 }, { b: 2 });
    expect(await links.findOne()).toEqual({ _id: 1, b: 2 });
  });

  it.each<[string, object, object, number]>([
    ['an unknown operator (9)', {}, { $foo: { a: 1 } }, 9],
    ['two operators on one path (40)', {}, { $set: { a: 1 }, $inc: { a: 1 } }, 40],
    ['a path and its parent (40)', {}, { $set: { a: {}, 'a.b': 1 } }, 40],
    ['a change of _id (66)', {}, { $set: { _id: 2 } }, 66],
    ['a path through a value (28)', { a: 5 }, { $set: { 'a.b': 1 } }, 28],
    ['$inc of a string (14)', { a: 'x' }, { $inc: { a: 1 } }, 14],
    ['$inc by a string (14)', { a: 1 }, { $inc: { a: 'x' } }, 14],
    ['$push to a value (2)', { a: 1 }, { $push: { a: 1 } }, 2],
    ['a stage that is no update (72)', {}, [{ $match: {} }], 72],
  ])('refuse %s', async (_name, document, update, code) => {
    await refusal(updated(document, update), code);
  });
});

describe('upsert', () => {
  it('starts from the equalities of the filter', async () => {
    const links = server.collection<{ _id: number }>();
    const result = await links.updateOne(
      { _id: 5, a: 1, b: { $gt: 3 }, 'c.d': { $eq: 2 } } as never,
      { $inc: { n: 1 }, $setOnInsert: { s: 'x' } } as never,
      { upsert: true },
    );
    expect(result).toMatchObject({ upsertedCount: 1, upsertedId: 5 });
    expect(await links.findOne()).toEqual({ _id: 5, a: 1, c: { d: 2 }, n: 1, s: 'x' });
  });

  it('works with replacements and pipelines', async () => {
    const links = server.collection<{ _id: number }>();
    await links.replaceOne({ _id: 1 }, { a: 1 } as never, { upsert: true });
    await links.updateOne({ _id: 2 }, [{ $set: { a: { $add: ['$_id', 1] } } }], { upsert: true });
    expect(await links.find().sort({ _id: 1 }).toArray()).toEqual([
      { _id: 1, a: 1 },
      { _id: 2, a: 3 },
    ]);
  });

  it('of a unique value by many at once makes one document', async () => {
    const counters = server.collection<{ _id: string; n: number }>();
    const upserts = Array.from({ length: 32 }, () =>
      counters.updateOne({ _id: 'x' }, { $inc: { n: 1 } }, { upsert: true }).catch((error: unknown) => {
        // MongoDB lets the loser of the race see a duplicate key and try again.
        if (!(error instanceof MongoServerError) || error.code !== 11000) throw error;
        return counters.updateOne({ _id: 'x' }, { $inc: { n: 1 } });
      }),
    );
    await Promise.all(upserts);
    expect(await counters.findOne()).toEqual({ _id: 'x', n: 32 });
  });
});

describe('findAndModify', () => {
  it('gives the document before or after', async () => {
    const links = server.collection<{ _id: number; n: number }>();
    await links.insertOne({ _id: 1, n: 1 });
    expect(await links.findOneAndUpdate({ _id: 1 }, { $inc: { n: 1 } })).toEqual({ _id: 1, n: 1 });
    expect(await links.findOneAndUpdate({ _id: 1 }, { $inc: { n: 1 } }, { returnDocument: 'after' })).toEqual({
      _id: 1,
      n: 3,
    });
    expect(await links.findOneAndUpdate({ _id: 2 }, { $inc: { n: 1 } })).toBeNull();
    expect(
      await links.findOneAndUpdate({ _id: 2 }, { $inc: { n: 1 } }, { upsert: true, returnDocument: 'after' }),
    ).toEqual({ _id: 2, n: 1 });
    expect(
      await links.findOneAndReplace({ _id: 2 }, { n: 9 }, { returnDocument: 'after', projection: { _id: 0 } }),
    ).toEqual({ n: 9 });
  });

  it('takes the first of a sort and can remove it', async () => {
    const jobs = server.collection<{ _id: number; at: number }>();
    await jobs.insertMany([
      { _id: 1, at: 5 },
      { _id: 2, at: 9 },
      { _id: 3, at: 1 },
    ]);
    expect(await jobs.findOneAndDelete({}, { sort: { at: -1 } })).toEqual({ _id: 2, at: 9 });
    const result = await jobs.findOneAndDelete({ _id: 3 }, { includeResultMetadata: true });
    expect(result).toMatchObject({ value: { _id: 3, at: 1 }, lastErrorObject: { n: 1 } });
    expect(await jobs.countDocuments()).toBe(1);
  });

  it('counts without losing one under 64 writers', async () => {
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
  it('answers the same session and txnNumber with the first reply, and applies it once', async () => {
    if (isGiven) return; // the third-party gateway does not remember replies
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
