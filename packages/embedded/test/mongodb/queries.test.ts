import { Decimal128, Double, Long, MaxKey, MinKey, ObjectId } from 'mongodb';
import { beforeAll, describe, expect, it } from 'vitest';
import { isGiven, refusal, useServer } from './given-server.ts';

const server = useServer();

/** The ids that a filter finds among the documents, which get the ids 0, 1, 2 … */
async function matching(documents: object[], filter: object): Promise<number[]> {
  const links = server.collection<{ _id: number }>();
  await links.insertMany(documents.map((document, _id) => ({ _id, ...document })));
  return links
    .find(filter)
    .sort({ _id: 1 })
    .map((link) => link._id)
    .toArray();
}

describe('filters', () => {
  it.each<[string, object[], object, number[]]>([
    ['equality', [{ a: 1 }, { a: 2 }], { a: 1 }, [0]],
    [
      'equality of numbers of all types',
      [{ a: 1 }, { a: new Double(1) }, { a: Long.fromNumber(1) }, { a: 1.5 }],
      { a: 1 },
      [0, 1, 2],
    ],
    ['equality inside arrays', [{ a: [1, 2] }, { a: [[1]] }, { a: 1 }], { a: 1 }, [0, 2]],
    ['equality of whole arrays', [{ a: [1, 2] }, { a: [[1, 2]] }, { a: [2, 1] }], { a: [1, 2] }, [0, 1]],
    [
      'equality of documents in order of fields',
      [{ a: { x: 1, y: 2 } }, { a: { y: 2, x: 1 } }],
      { a: { x: 1, y: 2 } },
      [0],
    ],
    ['dotted paths', [{ a: { b: 1 } }, { a: [{ b: 1 }] }, { a: [{ b: 2 }] }, { a: 1 }], { 'a.b': 1 }, [0, 1]],
    ['positions in arrays', [{ a: [5, 6] }, { a: [6, 5] }], { 'a.1': 6 }, [0]],
    [
      'null in paths that lead nowhere',
      [{ a: { b: null } }, { a: {} }, { a: 5 }, {}, { a: { b: 1 } }],
      { 'a.b': null },
      [0, 1, 2, 3],
    ],
    ['$ne', [{ a: 1 }, { a: 2 }, {}, { a: [1, 2] }], { a: { $ne: 1 } }, [1, 2]],
    ['$in and $nin', [{ a: 1 }, { a: 2 }, {}, { a: [3] }], { a: { $in: [1, 3, null] } }, [0, 2, 3]],
    ['$nin', [{ a: 1 }, { a: 2 }, {}], { a: { $nin: [1] } }, [1, 2]],
    ['ranges', [{ a: 1 }, { a: 5 }, { a: 10 }], { a: { $gt: 1, $lte: 10 } }, [1, 2]],
    ['ranges only within one type', [{ a: 1 }, { a: '5' }, { a: null }, { a: new Date(5) }], { a: { $lt: 100 } }, [0]],
    ['conditions of a range on different elements', [{ a: [1, 20] }, { a: [1, 2] }], { a: { $gt: 10, $lt: 5 } }, [0]],
    ['$elemMatch on values', [{ a: [1, 20] }, { a: [7] }], { a: { $elemMatch: { $gt: 5, $lt: 10 } } }, [1]],
    [
      '$elemMatch on documents',
      [{ a: [{ x: 1, y: 2 }] }, { a: [{ x: 1 }, { y: 2 }] }],
      { a: { $elemMatch: { x: 1, y: 2 } } },
      [0],
    ],
    ['$all', [{ a: [1, 2, 3] }, { a: [1] }, { a: 1 }], { a: { $all: [1, 2] } }, [0]],
    ['$all of one', [{ a: [1, 2] }, { a: 1 }], { a: { $all: [1] } }, [0, 1]],
    ['$size', [{ a: [1, 2] }, { a: [1] }, { a: 2 }], { a: { $size: 2 } }, [0]],
    ['$exists', [{ a: null }, {}], { a: { $exists: false } }, [1]],
    ['$type', [{ a: 1 }, { a: 'x' }, { a: ['x'] }], { a: { $type: 'string' } }, [1, 2]],
    ['$mod', [{ a: 4 }, { a: 5 }], { a: { $mod: [4, 0] } }, [0]],
    ['$not', [{ a: 1 }, { a: 10 }, {}], { a: { $not: { $gt: 5 } } }, [0, 2]],
    [
      '$and, $or, $nor',
      [
        { a: 1, b: 1 },
        { a: 1, b: 2 },
        { a: 2, b: 1 },
      ],
      { $and: [{ $or: [{ a: 1 }, { b: 1 }] }, { $nor: [{ b: 2 }] }] },
      [0, 2],
    ],
    ['$regex with i', [{ a: 'Hello' }, { a: 'help' }, { a: 'x' }], { a: { $regex: '^HEL', $options: 'i' } }, [0, 1]],
    ['$regex beyond ASCII with i', [{ a: 'ÄRGER' }, { a: 'arger' }], { a: { $regex: 'ärg', $options: 'i' } }, [0]],
    ['$regex with escaped punctuation', [{ a: 'a.b-c' }, { a: 'axb-c' }], { a: { $regex: 'a\\.b\\-c' } }, [0]],
    ['regular expressions of the driver', [{ a: 'one\ntwo' }, { a: 'two' }], { a: /^two/m }, [0, 1]],
    [
      '$expr',
      [
        { a: 1, b: 2 },
        { a: 2, b: 1 },
      ],
      { $expr: { $gt: ['$a', '$b'] } },
      [1],
    ],
    ['dates', [{ a: new Date(1) }, { a: new Date(2) }], { a: { $gte: new Date(2) } }, [1]],
    ['NaN', [{ a: Number.NaN }, { a: 1 }], { a: Number.NaN }, [0]],
    [
      'int64 beyond doubles',
      [{ a: Long.fromString('9007199254740993') }, { a: Long.fromString('9007199254740992') }],
      { a: { $gt: Long.fromString('9007199254740992') } },
      [0],
    ],
  ])('match by %s', async (_name, documents, filter, expected) => {
    expect(await matching(documents, filter)).toEqual(expected);
  });

  it.each<[string, object, number]>([
    ['an operator', { a: { $foo: 1 } }, 2],
    ['a top-level operator', { $foo: [] }, 2],
    ['$in without an array', { a: { $in: 1 } }, 2],
    ['an empty $or', { $or: [] }, 2],
    ['an expression operator', { $expr: { $foo: 1 } }, isGiven ? 31325 : 168],
  ])('refuse %s that is unknown', async (_name, filter, code) => {
    const links = server.collection();
    await links.insertOne({ a: 1 });
    await refusal(links.find(filter).toArray(), code);
  });

  it('refuse a regular expression that is not valid', async () => {
    const links = server.collection();
    await links.insertOne({ a: 'x' });
    await refusal(links.find({ a: { $regex: '(' } }).toArray(), 51091);
  });
});

describe('sort', () => {
  it("follows MongoDB's order of types", async () => {
    const links = server.collection<{ _id: number }>();
    const values = [
      new MinKey(),
      null,
      -1,
      new Double(1.5),
      Decimal128.fromString('2'),
      'A',
      'a',
      'ä',
      '\uffee',
      '🦊',
      { a: 1 },
      [],
      new ObjectId(),
      false,
      true,
      new Date(0),
      /x/,
      new MaxKey(),
    ];
    // An empty array sorts below null (the third-party server has it elsewhere).
    const order = values.map((_, index) => index).filter((index) => index !== 11);
    if (isGiven) values.splice(11, 1, new MinKey());
    order.splice(1, 0, 11);
    await links.insertMany(values.map((a, _id) => ({ _id, a })).reverse());
    expect(
      await links
        .find()
        .sort({ a: 1, _id: 1 })
        .map((link) => link._id)
        .toArray(),
    ).toEqual(order);
    expect(
      await links
        .find()
        .sort({ a: -1, _id: -1 })
        .map((link) => link._id)
        .toArray(),
    ).toEqual(order.reverse());
  });

  it('takes the least element of an array ascending, the greatest descending', async () => {
    const links = server.collection<{ _id: number }>();
    await links.insertMany([
      { _id: 1, a: [5, 1] },
      { _id: 2, a: 3 },
      { _id: 3, a: [2, 9] },
    ] as never[]);
    expect(
      await links
        .find()
        .sort({ a: 1 })
        .map((link) => link._id)
        .toArray(),
    ).toEqual([1, 3, 2]);
    expect(
      await links
        .find()
        .sort({ a: -1 })
        .map((link) => link._id)
        .toArray(),
    ).toEqual([3, 1, 2]);
  });

  it('goes with skip and limit', async () => {
    const links = server.collection<{ _id: number; a: number }>();
    await links.insertMany(Array.from({ length: 20 }, (_, _id) => ({ _id, a: _id % 3 })));
    const all = await links.find().sort({ a: -1, _id: 1 }).toArray();
    expect(await links.find().sort({ a: -1, _id: 1 }).skip(5).limit(7).toArray()).toEqual(all.slice(5, 12));
    expect(await links.find().skip(100).toArray()).toEqual([]);
  });
});

describe('projection', () => {
  const document = {
    _id: 1,
    a: 1,
    b: { c: 2, d: 3 },
    list: [
      { x: 1, y: 2 },
      { x: 3, y: 4 },
    ],
    n: [1, 2, 3, 4],
  };
  let project: (projection: object, filter?: object) => Promise<object | null>;
  beforeAll(async () => {
    const links = server.collection<{ _id: number }>();
    await links.insertOne(document);
    project = (projection, filter = {}) => links.findOne(filter, { projection: projection as never });
  });

  it.each<[string, object, object]>([
    ['includes', { a: 1 }, { _id: 1, a: 1 }],
    ['includes without _id', { a: 1, _id: 0 }, { a: 1 }],
    ['includes paths', { 'b.c': 1, 'list.x': 1 }, { _id: 1, b: { c: 2 }, list: [{ x: 1 }, { x: 3 }] }],
    ['excludes', { b: 0, list: 0, n: 0 }, { _id: 1, a: 1 }],
    ['excludes paths', { 'b.c': 0, 'list.y': 0, n: 0, _id: 0 }, { a: 1, b: { d: 3 }, list: [{ x: 1 }, { x: 3 }] }],
    ['gives _id alone', { _id: 1 }, { _id: 1 }],
    ['slices', { n: { $slice: [1, 2] }, a: 1 }, { _id: 1, a: 1, n: [2, 3] }],
    ['picks elements', { list: { $elemMatch: { x: 3 } } }, { _id: 1, list: [{ x: 3, y: 4 }] }],
    ['computes', { sum: { $add: ['$a', '$b.c'] }, _id: 0 }, { sum: 3 }],
  ])('%s', async (_name, projection, expected) => {
    expect(await project(projection)).toEqual(expected);
  });

  it('gives the matched element for the positional operator', async () => {
    expect(await project({ 'list.$': 1 }, { 'list.x': 3 })).toEqual({ _id: 1, list: [{ x: 3, y: 4 }] });
  });

  it('refuses to mix inclusion and exclusion (31254)', async () => {
    await refusal(project({ a: 1, b: 0 }), 31254);
  });
});

describe('count and distinct', () => {
  it('count with skip and limit, on collections that do not exist too', async () => {
    const links = server.collection<{ _id: number; a: number }>();
    expect(await links.countDocuments({ a: 1 })).toBe(0);
    expect(await links.estimatedDocumentCount()).toBe(0);
    await links.insertMany(Array.from({ length: 10 }, (_, _id) => ({ _id, a: _id % 2 })));
    expect(await links.countDocuments({ a: 1 })).toBe(5);
    expect(await links.countDocuments({ a: 1 }, { skip: 1, limit: 3 })).toBe(3);
    const counted = await server.db.command({ count: links.collectionName, query: { a: 0 }, limit: 2 });
    expect(counted.n).toBe(2);
  });

  it('distinct takes arrays apart', async () => {
    const links = server.collection();
    await links.insertMany([{ a: ['x', 'y'] }, { a: 'x' }, {}, { a: null }]);
    expect((await links.distinct('a')).map(String).sort()).toEqual(['null', 'x', 'y']);
  });
});
