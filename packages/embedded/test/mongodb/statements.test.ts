import fc from 'fast-check';
import {
  Binary,
  BSONRegExp,
  Code,
  type Collection,
  Decimal128,
  type Document,
  Double,
  Int32,
  Long,
  MaxKey,
  MinKey,
  ObjectId,
  Timestamp,
  UUID,
} from 'mongodb';
import { describe, expect, it } from 'vitest';
import { refusal, useServer } from './given-server.ts';

// What links-svc sends, with the answers of MongoDB. With MONGODB_URL, that database gives them, too.

const server = useServer();

type Numbered = Document & { _id: number };

/** Returns a collection with these documents; they get the ids 0, 1, 2 … */
async function stored(documents: readonly object[]): Promise<Collection<Numbered>> {
  const collection = server.collection<Numbered>();
  if (documents.length > 0) await collection.insertMany(documents.map((one, _id) => ({ _id, ...one })));
  return collection;
}

const idsOf = (cursor: { toArray(): Promise<Document[]> }) =>
  cursor.toArray().then((found) => found.map(({ _id }) => _id));

const LONG = (text: string) => Long.fromString(text);

describe('a filter', () => {
  it.each<[string, object[], object, number[]]>([
    ['equality', [{ a: 1 }, { a: 2 }], { a: 1 }, [0]],
    [
      'equality of numbers of all types',
      [{ a: 1 }, { a: new Double(1) }, { a: LONG('1') }, { a: 1.5 }],
      { a: 1 },
      [0, 1, 2],
    ],
    ['equality inside arrays', [{ a: [1, 2] }, { a: [3] }, { a: 1 }], { a: 1 }, [0, 2]],
    ['dotted paths', [{ a: { b: 1 } }, { a: [{ b: 1 }] }, { a: [{ b: 2 }] }, { a: 1 }], { 'a.b': 1 }, [0, 1]],
    ['null, also missing', [{ a: null }, {}, { a: 1 }], { a: null }, [0, 1]],
    [
      'null in paths that lead nowhere',
      [{ a: { b: null } }, { a: {} }, { a: 5 }, { a: { b: 1 } }],
      { 'a.b': null },
      [0, 1, 2],
    ],
    [
      '$not of $lte',
      [{ a: 1 }, { a: 2 }, { a: 3 }, { a: null }, {}, { a: 'x' }, { a: [1, 3] }, { a: [3] }, { a: [] }],
      { a: { $not: { $lte: 2 } } },
      [2, 3, 4, 5, 7, 8],
    ],
    ['$in', [{ a: 1 }, { a: 2 }, {}, { a: [3] }], { a: { $in: [1, 3, null] } }, [0, 2, 3]],
    ['$in of nothing', [{ a: 1 }, {}], { a: { $in: [] } }, []],
    ['ranges', [{ a: 1 }, { a: 5 }, { a: 10 }], { a: { $gt: 1, $lte: 10 } }, [1, 2]],
    ['ranges within one type', [{ a: 1 }, { a: '5' }, { a: null }, { a: new Date(5) }], { a: { $lt: 100 } }, [0]],
    ['a range over different elements', [{ a: [1, 20] }, { a: [1, 2] }], { a: { $gt: 10, $lt: 5 } }, [0]],
    ['$eq and $all', [{ a: ['x', 'y', 'z'] }, { a: ['x'] }, { a: 'x' }], { a: { $eq: 'x', $all: ['y'] } }, [0]],
    [
      '$regex of literal texts, and $and',
      [{ a: 'x.y 夏😀' }, { a: 'x.y' }, { a: 'xay 夏' }, { a: ['x.y', '夏'] }, { a: ['夏x.y'] }, { a: 1 }, {}],
      { a: { $regex: 'x\\.y' }, $and: [{ a: { $regex: '夏' } }, { $and: [{ a: { $gt: '' } }] }] },
      [0, 3, 4],
    ],
    ['$exists: false', [{ a: null }, {}], { a: { $exists: false } }, [1]],
    ['$exists: true', [{ a: null }, {}], { a: { $exists: true } }, [0]],
    ['dates', [{ a: new Date(1) }, { a: new Date(2) }], { a: { $gt: new Date(1) } }, [1]],
    ['texts by their code points', [{ a: '\uffee' }, { a: '🦊' }, { a: 'z' }], { a: { $gt: '\uffee' } }, [1]],
    [
      'int64 beyond doubles',
      [{ a: LONG('9007199254740993') }, { a: LONG('9007199254740992') }],
      { a: { $gt: LONG('9007199254740992') } },
      [0],
    ],
    ['names of properties of JavaScript objects', [{ constructor: 'c' }, {}], { constructor: 'c' }, [0]],
  ])('finds by %s, with and without an index', async (_name, documents, filter, expected) => {
    const plain = await stored(documents);
    expect(await idsOf(plain.find(filter).sort({ _id: 1 }))).toEqual(expected);
    expect(await plain.countDocuments(filter)).toBe(expected.length);
    await plain.createIndex({ [Object.keys(filter)[0]!]: 1, _id: 1 });
    expect(await idsOf(plain.find(filter).sort({ _id: 1 }))).toEqual(expected);
    expect(await plain.countDocuments(filter)).toBe(expected.length);
  });
});

describe('find', () => {
  it("sorts in MongoDB's order of types, by several fields, with skip, limit and batches", async () => {
    const values = [null, -1, new Double(1.5), LONG('2'), 'A', 'a', 'ä', '\uffee', '🦊', false, true, new Date(0)];
    const collection = await stored(values.map((a) => ({ a })));
    const order = values.map((_, index) => index);
    expect(await idsOf(collection.find().sort({ a: 1, _id: 1 }))).toEqual(order);
    expect(await idsOf(collection.find().sort({ a: -1, _id: -1 }))).toEqual([...order].reverse());
    expect(await idsOf(collection.find({}, { batchSize: 2 }).sort({ a: 1 }).skip(3).limit(5))).toEqual(
      order.slice(3, 8),
    );
    expect(await idsOf(collection.find().skip(100))).toEqual([]);
  });

  it.each<[object, object]>([
    [{ a: 1 }, { _id: 0, a: 1 }],
    [{ a: 1, _id: 0 }, { a: 1 }],
    [
      { b: 0, list: 0 },
      { _id: 0, a: 1 },
    ],
    [{ _id: 1 }, { _id: 0 }],
  ])('returns the fields of the projection %j', async (projection, expected) => {
    const collection = await stored([{ a: 1, b: { c: 2 }, list: [{ x: 1 }] }]);
    expect(await collection.findOne({}, { projection })).toEqual(expected);
  });

  it('uses the index of a hint, and refuses one that does not exist (2)', async () => {
    const collection = await stored([{ a: 2 }, { a: 1 }]);
    expect(await idsOf(collection.find({ a: { $gt: 0 } }, { hint: '_id_' }).sort({ _id: -1 }))).toEqual([1, 0]);
    await refusal(collection.find({}, { hint: 'none' }).toArray(), 2);
  });

  it('returns every BSON type as it was stored, also in a projection and after an update of another field', async () => {
    const document = {
      int: new Int32(5),
      long: LONG('9007199254740993'),
      double: new Double(5),
      decimal: Decimal128.fromString('1.10'),
      text: 'Grüße 🦊',
      date: new Date(-1),
      yes: true,
      nothing: null,
      list: [new Int32(1), 'two', [new Double(3)], {}],
      nested: { deep: { er: new Int32(1) } },
      bytes: new Binary(Buffer.from([0, 1, 255]), 128),
      uuid: new UUID('0f8fad5b-d9cb-469f-a165-70867728950e'),
      regex: new BSONRegExp('^a.b$', 'i'),
      timestamp: new Timestamp({ t: 7, i: 9 }),
      code: new Code('return 1'),
      least: new MinKey(),
      greatest: new MaxKey(),
    };
    const collection = await stored([document]);
    await collection.updateOne({}, { $set: { added: new Int32(1) } });
    const options = { promoteValues: false, bsonRegExp: true } as const;
    const expected = { _id: new Int32(0), ...document, added: new Int32(1) };
    expect(await collection.findOne({}, options)).toEqual(expected);
    for (const without of Object.keys(document)) {
      const { [without as keyof typeof document]: _, ...rest } = expected;
      expect(await collection.findOne({}, { ...options, projection: { [without]: 0 } })).toEqual(rest);
      const projection = Object.fromEntries(Object.keys(rest).map((name) => [name, 1]));
      expect(await collection.findOne({}, { ...options, projection })).toEqual(rest);
    }
  });
});

describe('an update', () => {
  it.each<[string, object, object, object]>([
    ['$set', { a: 1 }, { $set: { a: 2, b: 3 } }, { a: 2, b: 3 }],
    [
      '$set of the element that the filter matched',
      { k: [{ x: 1 }, { x: 2 }] },
      { $set: { 'k.$': { x: 9 } } },
      { k: [{ x: 1 }, { x: 9 }] },
    ],
    [
      '$set of a field of the element that the filter matched',
      { k: [{ x: 1 }, { x: 2, y: 3 }] },
      { $set: { 'k.$.z': 9 } },
      { k: [{ x: 1 }, { x: 2, y: 3, z: 9 }] },
    ],
    ['$unset', { a: 1, b: 2 }, { $unset: { a: '', z: '' } }, { b: 2 }],
    ['$max', { a: 5, b: 5 }, { $max: { a: 3, b: 9, c: 1 } }, { a: 5, b: 9, c: 1 }],
    ['$max of dates', { a: new Date(5) }, { $max: { a: new Date(9) } }, { a: new Date(9) }],
    ['$setOnInsert', { a: 1 }, { $setOnInsert: { b: 1 } }, { a: 1 }],
    ['$currentDate', {}, { $currentDate: { at: true } }, { at: expect.any(Date) }],
  ])('applies %s', async (_name, document, update, expected) => {
    const collection = await stored([document]);
    const filter = 'k' in document ? { 'k.x': 2 } : {};
    await collection.updateOne(filter, update);
    expect(await collection.findOne({}, { projection: { _id: 0 } })).toEqual(expected);
  });

  it('tells matched from modified, and inserts what the filter demands', async () => {
    const collection = await stored([{ a: 1 }, { a: 2 }]);
    expect(await collection.updateMany({}, { $set: { a: 2 } })).toMatchObject({ matchedCount: 2, modifiedCount: 1 });
    expect(await collection.updateOne({ _id: 9 }, { $set: { a: 2 } })).toMatchObject({ matchedCount: 0 });
    const filter = { _id: 5, a: 1, b: { $exists: false } };
    const result = await collection.updateOne(filter, { $set: { n: 1 }, $setOnInsert: { s: 'x' } }, { upsert: true });
    expect(result).toMatchObject({ upsertedCount: 1, upsertedId: 5 });
    expect(await collection.findOne({ _id: 5 })).toEqual({ _id: 5, a: 1, n: 1, s: 'x' });
  });

  it('goes on after an error if it is not ordered', async () => {
    const collection = await stored([{}]);
    const insert = (_id: number) => ({ insertOne: { document: { _id } } });
    const error = await refusal(collection.bulkWrite([insert(0), insert(1)], { ordered: false }), 11000);
    expect(error).toMatchObject({ writeErrors: [{ index: 0 }] });
    await refusal(collection.bulkWrite([insert(0), insert(2)]), 11000);
    expect(await idsOf(collection.find().sort({ _id: 1 }))).toEqual([0, 1]);
  });

  it.each<[string, object, number]>([
    ['an unknown operator', { $foo: { a: 1 } }, 9],
    ['two operators on one path', { $set: { a: 1 }, $max: { a: 1 } }, 40],
    ['a change of _id', { $set: { _id: 2 } }, 66],
  ])('is refused for %s', async (_name, update, code) => {
    await refusal((await stored([{}])).updateOne({}, update), code);
  });
});

it('findOneAndUpdate changes a document and returns it as it was', async () => {
  const collection = await stored([{ at: 5 }, { at: 9 }]);
  expect(await collection.findOneAndUpdate({ at: 9 }, { $inc: { at: -2 } })).toEqual({ _id: 1, at: 9 });
  expect(await collection.findOneAndUpdate({ at: 9 }, { $inc: { at: -2 } })).toBeNull();
  expect(await collection.find({}).toArray()).toEqual([
    { _id: 0, at: 5 },
    { _id: 1, at: 7 },
  ]);
});

it('findOneAndDelete removes a document and returns it', async () => {
  const collection = await stored([{ at: 5 }, { at: 9 }]);
  expect(await collection.findOneAndDelete({ at: { $gt: 5 } })).toEqual({ _id: 1, at: 9 });
  expect(await collection.findOneAndDelete({ at: { $gt: 5 } })).toBeNull();
  expect(await collection.countDocuments({})).toBe(1);
});

describe('aggregate', () => {
  it('counts up to a limit, also what does not exist', async () => {
    expect(await server.collection().countDocuments({ a: 1 })).toBe(0);
    const collection = await stored(Array.from({ length: 10 }, (_, n) => ({ a: n % 2 })));
    expect(await collection.countDocuments({ a: 1 })).toBe(5);
    expect(await collection.countDocuments({ a: 1 }, { limit: 3 })).toBe(3);
  });

  it('groups documents by the elements of an array, in the order of their counts', async () => {
    const documents = fc.array(
      fc.record(
        {
          a: fc.integer({ min: 0, max: 1 }),
          tags: fc.oneof(
            fc.array(fc.constantFrom('x', 'y', 'ä', '\u{1f600}', '\uffee'), { maxLength: 4 }),
            fc.constantFrom('x', null),
          ),
          n: fc.oneof(fc.integer({ min: 0, max: 3 }), fc.constantFrom('text', null, 0.5)),
        },
        { requiredKeys: ['a'] },
      ),
      { maxLength: 30 },
    );
    const collection = server.collection<Numbered>();
    await fc.assert(
      fc.asyncProperty(documents, fc.nat(4), async (list, limit) => {
        await collection.deleteMany({});
        if (list.length > 0) await collection.insertMany(list.map((document, _id) => ({ _id, ...document })));
        const groups = new Map<string, { documents: number; sum: number }>();
        for (const { tags, n } of list.filter(({ a }) => a === 1))
          for (const tag of [tags ?? []].flat()) {
            const group = groups.get(tag) ?? { documents: 0, sum: 0 };
            groups.set(tag, { documents: group.documents + 1, sum: group.sum + (typeof n === 'number' ? n : 0) });
          }
        const expected = [...groups]
          .map(([_id, group]) => ({ _id, ...group }))
          .sort((x, y) => y.documents - x.documents || Buffer.compare(Buffer.from(x._id), Buffer.from(y._id)));
        const pipeline = [
          { $match: { a: 1 } },
          { $unwind: '$tags' },
          { $group: { _id: '$tags', documents: { $sum: 1 }, sum: { $sum: '$n' } } },
          { $sort: { documents: -1, _id: 1 } },
          ...(limit > 0 ? [{ $limit: limit }] : []),
        ];
        expect(await collection.aggregate(pipeline).toArray()).toEqual(limit > 0 ? expected.slice(0, limit) : expected);
      }),
      { numRuns: 50 },
    );
  });
});

it('an _id is added at the front', async () => {
  const { collectionName } = server.collection();
  await server.db.command({ insert: collectionName, documents: [{ a: 1 }] });
  const found = await server.db.collection(collectionName).findOne({});
  expect([Object.keys(found!), found!._id]).toEqual([['_id', 'a'], expect.any(ObjectId)]);
});
