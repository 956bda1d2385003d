import fc from 'fast-check';
import * as mingo from 'mingo';
import { type Document, Long } from 'mongodb';
import { describe, expect, it } from 'vitest';
import { isGiven, refusal, useServer } from './given-server.ts';

const server = useServer({ maxPoolSize: 64 });

interface Slug {
  _id: number;
  slug: string;
}

describe('a unique index', () => {
  it('refuses a duplicate of an insert, an update and an upsert with 11000 and the key', async () => {
    const links = server.collection<Slug>();
    await links.createIndex({ slug: 1 }, { unique: true });
    const both = ['a', 'b'].map((slug, _id) => ({ _id, slug }));
    await links.insertMany(both);
    for (const attempt of [
      () => links.insertOne({ _id: 3, slug: 'a' }),
      () => links.updateOne({ _id: 1 }, { $set: { slug: 'a' } }),
      () => links.updateOne({ _id: 4 }, { $set: { slug: 'a' } }, { upsert: true }),
      () => links.insertOne({ _id: 1, slug: 'c' }),
    ])
      expect((await refusal(attempt(), 11000)).message).toContain('E11000 duplicate key error');
    if (!isGiven)
      expect(await refusal(links.insertOne({ _id: 3, slug: 'a' }), 11000)).toMatchObject({
        keyPattern: { slug: 1 },
        keyValue: { slug: 'a' },
        message: `E11000 duplicate key error collection: ${links.namespace} index: slug_1 dup key: { slug: "a" }`,
      });
    expect(await links.find().sort({ _id: 1 }).toArray()).toEqual(both);
    await links.deleteOne({ _id: 0 });
    await links.insertOne({ _id: 5, slug: 'a' }); // the value is free again
  });

  it('counts a missing field as null, and equal numbers of different types as equal', async () => {
    const links = server.collection<{ _id: number; n?: unknown }>();
    await links.createIndex({ n: 1 }, { unique: true });
    await links.insertMany([{ _id: 1 }, { _id: 2, n: 1 }]);
    await refusal(links.insertOne({ _id: 3 }), 11000);
    await refusal(links.insertOne({ _id: 3, n: Long.fromNumber(1) }), 11000);
  });

  it.skipIf(isGiven)('distinguishes long values after any common prefix', async () => {
    const links = server.collection<Slug>();
    await links.createIndex({ slug: 1 }, { unique: true });
    const long = 'x'.repeat(2047);
    await links.insertMany([`${long}1`, `${long}2`, long].map((slug, _id) => ({ _id, slug })));
    await refusal(links.insertOne({ _id: 4, slug: `${long}2` }), 11000);
    await refusal(links.updateOne({ _id: 0 }, { $set: { slug: `${long}2` } }), 11000);
    expect(
      await links
        .find({ slug: { $gt: long } })
        .sort({ slug: -1 })
        .map(({ _id }) => _id)
        .toArray(),
    ).toEqual([1, 0]);
    expect(await links.countDocuments({ slug: `${long}1` })).toBe(1);
  });

  it('lets one of 64 concurrent writers win, a partial one only among its documents', async () => {
    const links = server.collection<{ slug: string; live: boolean }>();
    await links.createIndex({ slug: 1 }, { unique: true, partialFilterExpression: { live: true } });
    const outcomes = await Promise.allSettled([
      ...Array.from({ length: 64 }, () => links.insertOne({ slug: 'a', live: true })),
      ...Array.from({ length: 8 }, () => links.insertOne({ slug: 'a', live: false })),
    ]);
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(9);
    await refusal(links.updateOne({ live: false }, { $set: { live: true } }), 11000);
  });

  it('cannot be created on duplicates (11000), and does not exist then', async () => {
    const links = server.collection();
    await links.insertMany([{ a: 1 }, { a: 1 }]);
    await refusal(links.createIndex({ a: 1 }, { unique: true }), 11000);
    expect(await links.indexes()).toHaveLength(1);
  });
});

it('sparse and partial indexes are used only where they have all matches', async () => {
  const links = server.collection<{ _id: number; a?: number; live?: boolean }>();
  await links.createIndex({ a: 1 }, { partialFilterExpression: { live: true } });
  await links.createIndex({ a: 1, live: 1 }, { sparse: true });
  await links.insertMany([{ _id: 1, a: 1, live: true }, { _id: 2, a: 1 }, { _id: 3 }, { _id: 4, live: false }]);
  expect(await links.countDocuments({ a: 1 })).toBe(2);
  expect(await links.countDocuments({ a: 1, live: true })).toBe(1);
  expect(await links.countDocuments({ a: null as never })).toBe(2);
  expect(await links.find().sort({ a: 1 }).toArray()).toHaveLength(4);
});

describe('createIndexes', () => {
  it('names indexes, changes nothing when repeated, and all are dropped but that of _id', async () => {
    const links = server.collection();
    expect(await links.createIndex({ a: 1, b: 1 })).toBe('a_1_b_1');
    await links.createIndexes([{ key: { c: 1 }, name: 'by_c', unique: true }]);
    await links.createIndex({ a: 1, b: 1 });
    await links.insertOne({ c: 1 });
    await refusal(links.insertOne({ c: 1 }), 11000);
    expect((await links.indexes()).map(({ name }) => name).sort()).toEqual(['_id_', 'a_1_b_1', 'by_c']);
    await links.dropIndexes();
    expect((await links.indexes()).map(({ name }) => name)).toEqual(['_id_']);
    await links.insertOne({ c: 1 });
    await refusal(server.collection().indexes(), 26);
  });

  it('refuses what conflicts with an existing one (85, 86), and two arrays of one document (171)', async () => {
    const links = server.collection();
    await links.insertOne({ x: [1], y: [1] });
    await links.createIndex({ a: 1 }, { name: 'one' });
    await refusal(links.createIndex({ a: 1 }, { name: 'two' }), 85);
    await refusal(links.createIndex({ b: 1 }, { name: 'one' }), 86);
    await refusal(links.createIndex({ x: 1, y: 1 }), 171);
  });
});

it.skipIf(isGiven)('a TTL index deletes documents after their time, and others never', async () => {
  const records = server.collection<{ _id: number; at?: Date | string }>();
  await records.createIndex({ at: 1 }, { expireAfterSeconds: 1 });
  const later = { _id: 2, at: new Date(Date.now() + 3_600_000) };
  await records.insertMany([{ _id: 1, at: new Date() }, later, { _id: 3 }, { _id: 4, at: 'no date' }]);
  expect(await records.countDocuments()).toBe(4);
  await expect.poll(() => records.countDocuments()).toBe(3);
  expect(await records.findOne({ _id: 1 })).toBeNull();
});

// `mingo` is an independent engine. It says what the filters of links-svc find, whatever indexes there are.
describe.skipIf(isGiven)('documents that are changed', () => {
  const number = fc.integer({ min: 0, max: 4 });
  const scalar = fc.oneof(number, fc.constantFrom('', 'a', 'ab', 'b', 'ä'), fc.constant(null), fc.boolean());
  const value = fc.oneof(
    { weight: 5, arbitrary: scalar },
    { weight: 1, arbitrary: fc.array(number, { maxLength: 3 }) },
  );
  /** With at most one array, because MongoDB refuses to index two of one document. */
  const document = fc
    .record({ a: value, b: value, c: fc.record({ d: value }, { requiredKeys: [] }) }, { requiredKeys: [] })
    .filter(({ a, b, c }) => [a, b, c?.d].filter(Array.isArray).length <= 1);
  const documents = fc.array(document, { maxLength: 25 });
  const path = fc.constantFrom('a', 'b', 'c.d');
  const text = fc.constantFrom('a', 'ab', 'b');
  const condition = fc.oneof(
    scalar,
    fc.record({ $in: fc.array(scalar, { minLength: 1, maxLength: 3 }) }),
    fc.record({ $gt: number, $lt: number }, { requiredKeys: ['$gt'] }),
    fc.record({ $gt: text, $lte: text }, { requiredKeys: ['$lte'] }),
    fc.record({ $not: fc.record({ $lte: fc.oneof(number, text) }) }),
    fc.record({ $exists: fc.boolean() }),
    fc.record({ $regex: text }),
  );
  const filter = fc
    .uniqueArray(fc.tuple(path, condition), { selector: ([name]) => name, maxLength: 3 })
    .map((clauses): Document => Object.fromEntries(clauses));
  const keys = fc.uniqueArray(
    fc
      .tuple(fc.uniqueArray(path, { minLength: 1, maxLength: 3 }), fc.boolean())
      .map(([paths, withId]) => (withId ? [...paths, '_id'] : paths)),
    { selector: String, minLength: 1, maxLength: 3 },
  );
  const idsOf = (found: readonly Document[]) => found.map(({ _id }) => _id as number).sort((x, y) => x - y);

  it('are found by every index as without one', { timeout: 120_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(
        documents,
        documents,
        keys,
        filter,
        filter,
        fc.nat(5),
        fc.nat(10),
        async (list, changes, of, removed, wanted, skip, limit) => {
          const links = server.collection<{ _id: number }>();
          await links.createIndexes(
            of.map((paths, n) => ({ key: Object.fromEntries(paths.map((one) => [one, 1])), name: `i${n}` })),
          );
          let model = list.map((one, _id): Document => ({ _id, ...one }));
          if (model.length > 0) await links.insertMany(model as never[]);
          for (const [_id, change] of changes.entries()) {
            const $unset = Object.fromEntries(
              ['a', 'b', 'c'].filter((name) => !(name in change)).map((name) => [name, '']),
            );
            await links.updateOne({ _id }, {
              ...(Object.keys(change).length > 0 && { $set: change }),
              $unset,
            } as never);
            model = model.map((one) => (one._id === _id ? { _id, ...change } : one));
          }
          await links.deleteMany(removed);
          const gone = new Set(idsOf(mingo.find<Document>(model, removed).all()));
          const expected = idsOf(
            mingo
              .find<Document>(
                model.filter(({ _id }) => !gone.has(_id)),
                wanted,
              )
              .all(),
          );
          expect(idsOf(await links.find(wanted).toArray())).toEqual(expected);
          const page = await links.find(wanted, { skip, limit, batchSize: 2 }).sort({ _id: 1 }).toArray();
          expect(page.map(({ _id }) => _id)).toEqual(
            limit === 0 ? expected.slice(skip) : expected.slice(skip, skip + limit),
          );
          expect(await links.countDocuments(wanted)).toBe(expected.length);
        },
      ),
      { numRuns: Number(process.env.STATEMENTS ?? 50) },
    );
  });
});

it.skipIf(isGiven)('a page in an order is complete and sorted, whichever index says what matches', async () => {
  const links = server.collection<{ _id: number; account: string; n: number; tag: string; kind: number }>();
  await links.createIndexes([
    { key: { account: 1, n: 1 } },
    { key: { account: 1, tag: 1 } },
    { key: { tag: 1, _id: 1 } },
  ]);
  const all = Array.from({ length: 5000 }, (_, _id) => {
    const tag = _id < 1500 ? 'old' : 'new';
    return { _id, account: 'a', n: (_id * 7919) % 5000, tag, kind: _id % 2 };
  });
  await links.insertMany(all);
  for (const [filter, skip] of [
    [{ tag: 'old' }, 0],
    [{ tag: 'old', kind: 0 }, 100],
    [{ tag: { $in: ['old', 'new'] } }, 10],
    [{ kind: 2 }, 0],
  ] as const) {
    const expected = mingo
      .find<Document>(all, { account: 'a', ...filter } as Document)
      .sort({ n: -1 })
      .skip(skip)
      .limit(3)
      .all();
    for (const hint of [undefined, 'account_1_n_1'])
      expect(
        await links
          .find({ account: 'a', ...filter } as never, hint === undefined ? {} : { hint })
          .sort({ n: -1 })
          .skip(skip)
          .limit(3)
          .toArray(),
      ).toEqual(expected);
  }
});
