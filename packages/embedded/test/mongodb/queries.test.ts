import fc from 'fast-check';
import { Double, Long, ObjectId } from 'mongodb';
import { beforeAll, describe, expect, it } from 'vitest';
import { isGiven, refusal, useServer } from './given-server.ts';

const server = useServer();

/** Returns the ids of the documents that match a filter; the documents get the ids 0, 1, 2 … */
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
    ['dotted paths', [{ a: { b: 1 } }, { a: [{ b: 1 }] }, { a: [{ b: 2 }] }, { a: 1 }], { 'a.b': 1 }, [0, 1]],
    [
      'null in paths that lead nowhere',
      [{ a: { b: null } }, { a: {} }, { a: 5 }, {}, { a: { b: 1 } }],
      { 'a.b': null },
      [0, 1, 2, 3],
    ],
    ['$ne', [{ a: 1 }, { a: 2 }, {}, { a: [1, 2] }], { a: { $ne: 1 } }, [1, 2]],
    [
      '$not of $lte',
      [{ a: 1 }, { a: 2 }, { a: 3 }, { a: null }, {}, { a: 'x' }, { a: [1, 3] }, { a: [3] }, { a: [] }],
      { a: { $not: { $lte: 2 } } },
      [2, 3, 4, 5, 7, 8],
    ],
    ['$in', [{ a: 1 }, { a: 2 }, {}, { a: [3] }], { a: { $in: [1, 3, null] } }, [0, 2, 3]],
    ['ranges', [{ a: 1 }, { a: 5 }, { a: 10 }], { a: { $gt: 1, $lte: 10 } }, [1, 2]],
    ['ranges only within one type', [{ a: 1 }, { a: '5' }, { a: null }, { a: new Date(5) }], { a: { $lt: 100 } }, [0]],
    ['conditions of a range on different elements', [{ a: [1, 20] }, { a: [1, 2] }], { a: { $gt: 10, $lt: 5 } }, [0]],
    ['$all', [{ a: [1, 2, 3] }, { a: [1] }, { a: 1 }], { a: { $all: [1, 2] } }, [0]],
    ['$all of one', [{ a: [1, 2] }, { a: 1 }], { a: { $all: [1] } }, [0, 1]],
    ['$exists', [{ a: null }, {}], { a: { $exists: false } }, [1]],
    ['$regex', [{ a: 'Hello' }, { a: 'help' }, { a: 1 }, { a: ['hel'] }], { a: { $regex: '[Hh]el' } }, [0, 1, 3]],
    ['$regex beyond ASCII', [{ a: 'x🦊' }, { a: 'xy' }], { a: { $regex: '^x[🦊]$' } }, [0]],
    ['$regex with escaped punctuation', [{ a: 'a.b(c' }, { a: 'axb(c' }], { a: { $regex: 'a\\.b\\(c' } }, [0]],
    ['dates', [{ a: new Date(1) }, { a: new Date(2) }], { a: { $gt: new Date(1) } }, [1]],
    [
      'int64 beyond doubles',
      [{ a: Long.fromString('9007199254740993') }, { a: Long.fromString('9007199254740992') }],
      { a: { $gt: Long.fromString('9007199254740992') } },
      [0],
    ],
  ])('match by %s', async (_name, documents, filter, expected) => {
    expect(await matching(documents, filter)).toEqual(expected);
  });

  it.each(['(', '\\Aabc', '\\Qabc\\E', '[[:alpha:]]', 'a++', '(?>a)'])(
    'refuse the regular expression %s, which JavaScript reads differently (51091)',
    async (pattern) => {
      if (isGiven) return; // a given server reads it as PCRE does
      await refusal(
        server
          .collection()
          .find({ a: { $regex: pattern } })
          .toArray(),
        51091,
      );
    },
  );
});

describe('sort', () => {
  it("follows MongoDB's order of types", async () => {
    const links = server.collection<{ _id: number }>();
    const values = [
      null,
      -1,
      new Double(1.5),
      Long.fromNumber(2),
      'A',
      'a',
      'ä',
      '\uffee',
      '🦊',
      { a: 1 },
      new ObjectId(),
      false,
      true,
      new Date(0),
    ];
    const order = values.map((_, index) => index);
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

  it('uses the smallest element of an array ascending and the largest descending', async () => {
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

  it('works with skip and limit', async () => {
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
    list: [{ x: 1, y: 2 }],
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
    ['excludes', { b: 0, list: 0, n: 0 }, { _id: 1, a: 1 }],
    ['excludes with _id', { b: 0, list: 0, n: 0, _id: 0 }, { a: 1 }],
    ['leaves out _id alone', { _id: 0 }, { a: 1, b: { c: 2, d: 3 }, list: [{ x: 1, y: 2 }], n: [1, 2, 3, 4] }],
    ['gives _id alone', { _id: 1 }, { _id: 1 }],
  ])('%s', async (_name, projection, expected) => {
    expect(await project(projection)).toEqual(expected);
  });

  it('refuses to mix inclusion and exclusion (31254)', async () => {
    await refusal(project({ a: 1, b: 0 }), 31254);
  });
});

describe('aggregate', () => {
  const PAGE = [{ $match: { a: 1 } }, { $sort: { _id: -1 } }, { $skip: 1 }, { $limit: 2 }, { $project: { a: 0 } }];
  const COUNT = [{ $match: { a: 1 } }, { $group: { _id: null, total: { $sum: 1 } } }];

  it('returns a page and its total in one reply', async () => {
    const links = server.collection<{ _id: number; a: number }>();
    await links.insertMany(Array.from({ length: 10 }, (_, _id) => ({ _id, a: _id % 2 })));
    const union = { $unionWith: { coll: links.collectionName, pipeline: COUNT } };
    const list = (pipeline: object[]) => links.aggregate(pipeline as never).toArray();
    expect(await list([...PAGE, union])).toEqual([{ _id: 7 }, { _id: 5 }, { _id: null, total: 5 }]);
    expect(await list([{ $match: { a: 2 } }, union])).toEqual([{ _id: null, total: 5 }]);
    expect(await list([{ $match: { a: 2 } }, { $unionWith: { coll: 'nothing', pipeline: COUNT } }])).toEqual([]);
    expect(await links.aggregate([{ $sort: { _id: 1 } }], { batchSize: 3 }).toArray()).toHaveLength(10);
  });

  it('groups documents by the elements of an array, in the order of their counts', async () => {
    const links = server.collection<{ _id: number }>();
    const documents = fc.array(
      fc.record(
        {
          a: fc.integer({ min: 0, max: 1 }),
          tags: fc.oneof(
            fc.array(fc.constantFrom('x', 'y', 'z', 'ä', '夏', '\u{1f600}', '\uffee'), { maxLength: 4 }),
            fc.constantFrom('x', null),
          ),
          n: fc.oneof(fc.integer({ min: 0, max: 3 }), fc.constantFrom('text', null, 0.5)),
        },
        { requiredKeys: ['a'] },
      ),
      { maxLength: 30 },
    );
    await fc.assert(
      fc.asyncProperty(documents, fc.nat(4), async (list, limit) => {
        await links.deleteMany({});
        if (list.length > 0) await links.insertMany(list.map((document, _id) => ({ _id, ...document })));
        const groups = new Map<string, { documents: number; sum: number }>();
        for (const { tags, n } of list.filter(({ a }) => a === 1))
          for (const tag of [tags ?? []].flat()) {
            const group = groups.get(tag) ?? { documents: 0, sum: 0 };
            groups.set(tag, { documents: group.documents + 1, sum: group.sum + (typeof n === 'number' ? n : 0) });
          }
        const bytes = (text: string) => Buffer.from(text);
        const expected = [...groups]
          .map(([_id, group]) => ({ _id, ...group }))
          .sort((x, y) => y.documents - x.documents || Buffer.compare(bytes(x._id), bytes(y._id)));
        const pipeline = [
          { $match: { a: 1 } },
          { $unwind: '$tags' },
          { $group: { _id: '$tags', documents: { $sum: 1 }, sum: { $sum: '$n' } } },
          { $sort: { documents: -1, _id: 1 } },
          ...(limit > 0 ? [{ $limit: limit }] : []),
        ];
        expect(await links.aggregate(pipeline).toArray()).toEqual(limit > 0 ? expected.slice(0, limit) : expected);
      }),
    );
  });

  it('groups more elements than the limit allows', async () => {
    const links = server.collection<{ _id: number; tags: string[] }>();
    const tags = Array.from({ length: 5_000 }, (_, n) => `t${(n * 7_919) % 5_000}`);
    await links.insertMany(
      Array.from({ length: 50 }, (_, _id) => ({ _id, tags: [...tags.slice(_id * 100, _id * 100 + 100), 'every'] })),
    );
    const groups = await links
      .aggregate([
        { $match: {} },
        { $unwind: '$tags' },
        { $group: { _id: '$tags', documents: { $sum: 1 } } },
        { $sort: { documents: -1, _id: 1 } },
        { $limit: 101 },
      ])
      .toArray();
    const others = tags.sort().slice(0, 100);
    expect(groups).toEqual([{ _id: 'every', documents: 50 }, ...others.map((_id) => ({ _id, documents: 1 }))]);
  });

  it('counts with skip and limit, also on missing collections', async () => {
    const links = server.collection<{ _id: number; a: number }>();
    expect(await links.countDocuments({ a: 1 })).toBe(0);
    await links.insertMany(Array.from({ length: 10 }, (_, _id) => ({ _id, a: _id % 2 })));
    expect(await links.countDocuments({ a: 1 })).toBe(5);
    expect(await links.countDocuments({ a: 1 }, { skip: 1, limit: 3 })).toBe(3);
    expect(await links.countDocuments({})).toBe(10);
  });
});
