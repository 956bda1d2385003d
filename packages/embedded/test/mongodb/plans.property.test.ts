import fc from 'fast-check';
import * as mingo from 'mingo';
import type { Document } from 'mongodb';
import { describe, expect, it } from 'vitest';
import { isGiven, useServer } from './given-server.ts';

const server = useServer();

const scalar = fc.oneof(
  fc.integer({ min: 0, max: 4 }),
  fc.constantFrom('', 'a', 'ab', 'b', 'ä'),
  fc.constant(null),
  fc.boolean(),
);
const value = fc.oneof(
  { weight: 5, arbitrary: scalar },
  { weight: 1, arbitrary: fc.array(fc.integer({ min: 0, max: 4 }), { maxLength: 3 }) },
);
const documents = fc.array(
  fc.record({ a: value, b: value, c: fc.record({ d: value }, { requiredKeys: [] }) }, { requiredKeys: [] }),
  { maxLength: 25 },
);

const path = fc.constantFrom('a', 'b', 'c.d');
const number = fc.integer({ min: 0, max: 4 });
const text = fc.constantFrom('a', 'ab', 'b');
const condition = fc.oneof(
  scalar,
  fc.record({ $in: fc.array(scalar, { minLength: 1, maxLength: 3 }) }),
  fc.record({ $gt: number, $lt: number }, { requiredKeys: ['$gt'] }),
  fc.record({ $gt: text, $lte: text }, { requiredKeys: ['$lte'] }),
  fc.record({ $ne: scalar }),
  fc.record({ $not: fc.record({ $lte: fc.oneof(number, text) }) }),
  fc.record({ $exists: fc.boolean() }),
  fc.record({ $regex: fc.constantFrom('^a', 'b$', '^ab') }),
);
/** Conditions on up to three paths. */
const filter = fc
  .uniqueArray(fc.tuple(path, condition), { selector: ([name]) => name, maxLength: 3 })
  .map((clauses): Document => Object.fromEntries(clauses));
const direction = fc.constantFrom<1 | -1>(1, -1);
const sortKey = fc.uniqueArray(fc.tuple(path, direction), { selector: ([name]) => name, minLength: 1, maxLength: 3 });
const key = fc
  .tuple(fc.uniqueArray(path, { minLength: 1, maxLength: 3 }), fc.boolean())
  .map(([paths, withId]) => (withId ? [...paths, '_id'] : paths));
const indexes = fc.uniqueArray(key, { selector: (paths) => paths.join(), minLength: 1, maxLength: 3 });
const specificationsOf = (keys: string[][]) =>
  keys.map((paths, n) => ({ key: Object.fromEntries(paths.map((name) => [name, 1])), name: `i${n}` }) as const);

/** Returns whether the document has at most one array, because MongoDB refuses to index two arrays of one document. */
function isIndexable(document: Document): boolean {
  return [document.a, document.b, document.c?.d].filter(Array.isArray).length <= 1;
}

// These tests are about the plans of the embedded server only.
describe.skipIf(isGiven)('index plans', () => {
  it('find the same documents as without an index, in the same order', { timeout: 120_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(
        documents,
        indexes,
        filter,
        sortKey,
        fc.nat(5),
        fc.nat(10),
        async (list, keys, wanted, sort, skip, limit) => {
          const stored = list.filter(isIndexable).map((document, _id): Document => ({ _id, ...document }));
          const plain = server.collection<{ _id: number }>();
          const indexed = server.collection<{ _id: number }>();
          for (const collection of [plain, indexed])
            if (stored.length > 0) await collection.insertMany(stored as never[]);
          await indexed.createIndexes(specificationsOf(keys));
          const order: Document = { ...Object.fromEntries(sort), _id: 1 };
          const ids = (collection: typeof plain, more = {}) =>
            collection
              .find(wanted, more)
              .sort(order as never)
              .map(({ _id }) => _id)
              .toArray();
          const expected = mingo
            .find<Document>(stored, wanted)
            .all()
            .map((document) => document._id as number)
            .sort((x, y) => x - y);
          const found = await ids(indexed);
          expect([...found].sort((x, y) => x - y)).toEqual(expected);
          const unindexed = await ids(plain);
          expect(found).toEqual(unindexed);
          expect(await indexed.countDocuments(wanted)).toBe(expected.length);
          expect(await ids(indexed, { skip, limit })).toEqual(
            limit === 0 ? unindexed.slice(skip) : unindexed.slice(skip, skip + limit),
          );
          expect(await ids(indexed, { batchSize: 2 })).toEqual(unindexed);
        },
      ),
      { numRuns: 150 },
    );
  });

  it('stay correct when documents are changed and deleted', { timeout: 120_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(documents, documents, indexes, filter, filter, async (list, changes, keys, removed, wanted) => {
        const links = server.collection<{ _id: number }>();
        await links.createIndexes(specificationsOf(keys));
        let model = list.filter(isIndexable).map((document, _id): Document => ({ _id, ...document }));
        if (model.length > 0) await links.insertMany(model as never[]);
        for (const [_id, change] of changes.filter(isIndexable).entries()) {
          const gone = Object.fromEntries(
            ['a', 'b', 'c'].filter((name) => !(name in change)).map((name) => [name, '']),
          );
          await links.updateOne({ _id }, {
            ...(Object.keys(change).length > 0 && { $set: change }),
            $unset: gone,
          } as never);
          model = model.map((document) => (document._id === _id ? { _id, ...change } : document));
        }
        await links.deleteMany(removed);
        const gone = new Set(
          mingo
            .find<Document>(model, removed)
            .all()
            .map((document) => document._id),
        );
        model = model.filter((document) => !gone.has(document._id));
        const expected = mingo
          .find<Document>(model, wanted)
          .all()
          .map((document) => document._id as number);
        expect(
          (
            await links
              .find(wanted)
              .map(({ _id }) => _id)
              .toArray()
          ).sort((x, y) => x - y),
        ).toEqual(expected.sort((x, y) => x - y));
        expect(await links.countDocuments(wanted)).toBe(expected.length);
        const everything = await links.find().sort({ a: 1, b: 1, 'c.d': 1 }).toArray();
        expect(everything).toHaveLength(model.length);
      }),
      { numRuns: 100 },
    );
  });
});
