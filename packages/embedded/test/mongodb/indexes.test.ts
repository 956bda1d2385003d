import { Decimal128, type Document, Long, type MongoServerError } from 'mongodb';
import { describe, expect, it } from 'vitest';
import { isGiven, refusal, useServer } from './given-server.ts';

const server = useServer({ maxPoolSize: 64 });

interface Plan {
  stages: string[];
  index: string | undefined;
  keys: number;
  documents: number;
}

/** The stages of an explained plan from the outside in, the index it reads, and what it examined. */
function planOf(explained: Document): Plan {
  const stages: string[] = [];
  let index: string | undefined;
  for (let stage = explained.queryPlanner.winningPlan; stage; stage = stage.inputStage) {
    stages.push(stage.stage);
    index ??= stage.indexName;
  }
  const { totalKeysExamined: keys, totalDocsExamined: documents } = explained.executionStats;
  return { stages, index, keys, documents };
}

describe('unique indexes', () => {
  it('refuse a duplicate of insert, update, upsert and findAndModify with 11000 and the key', async () => {
    const links = server.collection<{ _id: number; slug: string; n?: number }>();
    await links.createIndex({ slug: 1 }, { unique: true });
    await links.insertMany([
      { _id: 1, slug: 'a' },
      { _id: 2, slug: 'b' },
    ]);
    const attempts = [
      () => links.insertOne({ _id: 3, slug: 'a' }),
      () => links.updateOne({ _id: 2 }, { $set: { slug: 'a' } }),
      () => links.replaceOne({ _id: 2 }, { slug: 'a' }),
      () => links.updateOne({ _id: 4 }, { $set: { slug: 'a' } }, { upsert: true }),
      () => links.findOneAndUpdate({ _id: 2 }, { $set: { slug: 'a' } }),
      () => links.insertOne({ _id: 1, slug: 'c' }),
    ];
    for (const attempt of attempts) {
      const error = await refusal(attempt(), 11000);
      expect(error.message).toContain('E11000 duplicate key error');
    }
    if (!isGiven) {
      const error = (await links
        .insertOne({ _id: 3, slug: 'a' })
        .catch((reason: unknown) => reason)) as MongoServerError;
      expect(error.message).toBe(
        `E11000 duplicate key error collection: ${links.namespace} index: slug_1 dup key: { slug: "a" }`,
      );
      expect(error).toMatchObject({ keyPattern: { slug: 1 }, keyValue: { slug: 'a' } });
    }
    expect(await links.find().sort({ _id: 1 }).toArray()).toEqual([
      { _id: 1, slug: 'a' },
      { _id: 2, slug: 'b' },
    ]);
    await links.deleteOne({ _id: 1 });
    await links.insertOne({ _id: 5, slug: 'a' }); // the value is free again
  });

  it('count a missing field as null, once', async () => {
    const links = server.collection<{ _id: number; a?: number }>();
    await links.createIndex({ a: 1 }, { unique: true });
    await links.insertOne({ _id: 1 });
    await refusal(links.insertOne({ _id: 2 }), 11000);
  });

  it('tell long values apart behind any common beginning', async () => {
    const links = server.collection<{ _id: number; url: string }>();
    if (!isGiven) await links.createIndex({ url: 1 }, { unique: true });
    else await links.createIndex({ url: 1 });
    const long = 'https://example.com/'.padEnd(2047, 'x');
    await links.insertMany([
      { _id: 1, url: `${long}1` },
      { _id: 2, url: `${long}2` },
      { _id: 3, url: long },
    ]);
    if (!isGiven) await refusal(links.insertOne({ _id: 4, url: `${long}2` }), 11000);
    if (!isGiven) await refusal(links.updateOne({ _id: 1 }, { $set: { url: `${long}2` } }), 11000);
    expect(await links.find({ url: `${long}2` }).toArray()).toMatchObject([{ _id: 2 }]);
    expect(
      await links
        .find({ url: { $gt: long } })
        .sort({ url: -1 })
        .map((link) => link._id)
        .toArray(),
    ).toEqual([2, 1]);
    expect(await links.countDocuments({ url: `${long}1` })).toBe(1);
  });

  it('take numbers of different types for equal', async () => {
    const links = server.collection<{ _id: number; n: unknown }>();
    await links.createIndex({ n: 1 }, { unique: true });
    await links.insertMany([
      { _id: 1, n: 1 },
      { _id: 2, n: 0.1 },
    ]);
    await refusal(links.insertOne({ _id: 3, n: Long.fromNumber(1) }), 11000);
    await links.insertOne({ _id: 4, n: Decimal128.fromString('0.1') }); // not the double 0.1
    expect(await links.countDocuments({ n: 0.1 })).toBe(1);
    expect(await links.find({ n: { $lt: 0.1 } }).toArray()).toHaveLength(1);
  });

  it('hold under 64 concurrent writers', { timeout: 60_000 }, async () => {
    // PostgreSQL inside the third-party server takes a second for each deadlock of such a race: one value there.
    const values = isGiven ? 1 : 10;
    const links = server.collection<{ slug: string; writer: number }>();
    await links.createIndex({ slug: 1 }, { unique: true });
    const won = await Promise.all(
      Array.from({ length: 64 }, async (_, writer) => {
        let count = 0;
        for (let n = 0; n < values; n += 1) {
          try {
            await links.insertOne({ slug: `s${n}`, writer });
            count += 1;
          } catch (error) {
            // The third-party server is PostgreSQL inside, which may choose a loser of the race by a deadlock.
            if (isGiven && (error as Error).message === 'deadlock detected') continue;
            expect((error as MongoServerError).code, (error as Error).message).toBe(11000);
          }
        }
        return count;
      }),
    );
    expect(won.reduce((sum, count) => sum + count)).toBe(values);
    expect(await links.countDocuments()).toBe(values);
  });

  it('with a partial filter hold for the documents in it only, under 64 concurrent writers', async () => {
    const links = server.collection<{ slug: string; live: boolean }>();
    await links.createIndex({ slug: 1 }, { unique: true, partialFilterExpression: { live: true } });
    const outcomes = await Promise.allSettled([
      ...Array.from({ length: 64 }, () => links.insertOne({ slug: 'a', live: true })),
      ...Array.from({ length: 8 }, () => links.insertOne({ slug: 'a', live: false })),
    ]);
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(9);
    await refusal(links.updateOne({ live: false }, { $set: { live: true } }), 11000);
  });

  it('cannot be made on duplicates (11000), and leave nothing behind', async () => {
    const links = server.collection();
    await links.insertMany([{ a: 1 }, { a: 1 }]);
    await refusal(links.createIndex({ a: 1 }, { unique: true }), 11000);
    expect(await links.indexes()).toHaveLength(1);
  });

  it('that are sparse leave out documents without the field', async () => {
    const links = server.collection<{ _id: number; a?: number }>();
    await links.createIndex({ a: 1 }, { unique: true, sparse: true });
    await links.insertMany([{ _id: 1 }, { _id: 2 }, { _id: 3, a: 1 }]);
    await refusal(links.insertOne({ _id: 4, a: 1 }), 11000);
    expect(
      await links
        .find()
        .sort({ a: 1, _id: 1 })
        .map((link) => link._id)
        .toArray(),
    ).toEqual([1, 2, 3]);
  });

  it('on arrays hold across documents, not within one', async () => {
    if (isGiven) return; // compares whole arrays only
    const links = server.collection<{ _id: number; tags: string[] }>();
    await links.createIndex({ tags: 1 }, { unique: true });
    await links.insertOne({ _id: 1, tags: ['a', 'a', 'b'] });
    await refusal(links.insertOne({ _id: 2, tags: ['c', 'b'] }), 11000);
  });
});

describe('index management', () => {
  it('lists, names and drops indexes', async () => {
    const links = server.collection();
    expect(await links.createIndex({ a: 1, b: -1 })).toBe('a_1_b_-1');
    await links.createIndexes([
      { key: { c: 1 }, name: 'by_c', unique: true },
      { key: { d: 1 }, expireAfterSeconds: 60 },
    ]);
    await links.createIndex({ a: 1, b: -1 }); // again: no change
    const indexes = await links.indexes();
    expect(indexes.map(({ name }) => name).sort()).toEqual(['_id_', 'a_1_b_-1', 'by_c', 'd_1']);
    expect(indexes.find(({ name }) => name === 'by_c')).toMatchObject({ key: { c: 1 }, unique: true });
    expect(indexes.find(({ name }) => name === 'd_1')).toMatchObject({ expireAfterSeconds: 60 });
    await links.dropIndex('by_c');
    await refusal(links.dropIndex('by_c'), 27);
    await links.dropIndexes();
    expect(await links.indexes()).toHaveLength(1);
    await refusal(links.dropIndex('_id_'), 72);
  });

  it('refuses an index that conflicts with one there (85, 86)', async () => {
    const links = server.collection();
    await links.createIndex({ a: 1 }, { name: 'one' });
    await refusal(links.createIndex({ a: 1 }, { name: 'two' }), 85);
    await refusal(links.createIndex({ b: 1 }, { name: 'one' }), 86);
    if (!isGiven) await refusal(links.createIndex({ a: 1 }, { name: 'one', unique: true }), 85);
  });

  it('refuses kinds and options of indexes that it does not have', async () => {
    if (isGiven) return; // some exist there
    const links = server.collection();
    await refusal(links.createIndex({ a: 'text' }), 67);
    await refusal(links.createIndex({ a: '2dsphere' }), 67);
    await refusal(links.createIndex({ '$**': 1 }), 67);
    await refusal(links.createIndex({ a: 1 }, { collation: { locale: 'en', strength: 2 } }), 67);
    await refusal(
      server.db.command({ createIndexes: links.collectionName, indexes: [{ key: { a: 1 }, name: 'a', foo: 1 }] }),
      197,
    );
    await refusal(links.createIndex({ a: 1 }, { partialFilterExpression: { a: { $ne: 1 } } }), 67);
    await links.insertOne({ a: [1], b: [1] });
    await refusal(links.createIndex({ a: 1, b: 1 }), 171);
  });

  it('deletes documents when the time of a TTL index has come', { timeout: 90_000 }, async () => {
    if (isGiven) return; // runs once a minute there
    const records = server.collection<{ _id: number; at?: Date | string }>();
    await records.createIndex({ at: 1 }, { expireAfterSeconds: 1 });
    await records.insertMany([
      { _id: 1, at: new Date() },
      { _id: 2, at: new Date(Date.now() + 60_000) },
      { _id: 3 },
      { _id: 4, at: 'no date' },
    ]);
    expect(await records.countDocuments()).toBe(4);
    await expect.poll(() => records.countDocuments(), { timeout: 10_000, interval: 200 }).toBe(3);
    expect(await records.findOne({ _id: 1 })).toBeNull();
  });
});

describe('plans', () => {
  it('read an index for equality and sort at once, page by page, without the rest of the collection', async () => {
    if (isGiven) return; // another engine, other plans
    const links = server.collection<{ _id: number; account: number; at: Date; visibility: string; tags: string[] }>();
    await links.createIndexes([
      { key: { account: 1, at: -1, _id: -1 } },
      { key: { account: 1, visibility: 1, at: -1, _id: -1 } },
      { key: { tags: 1 } },
    ]);
    await links.insertMany(
      Array.from({ length: 3000 }, (_, _id) => ({
        _id,
        account: _id % 2,
        at: new Date(_id * 7),
        visibility: _id % 3 ? 'public' : 'private',
        tags: [`t${_id % 50}`],
      })),
    );
    const page = links.find({ account: 1 }).sort({ at: -1, _id: -1 }).skip(100).limit(25);
    expect(planOf(await page.clone().explain('executionStats'))).toMatchObject({
      index: 'account_1_at_-1__id_-1',
      documents: 25,
      keys: 125,
    });
    expect((await page.toArray())[0]?._id).toBe(2799);
    const back = links.find({ account: 1 }).sort({ at: 1, _id: 1 }).limit(5);
    expect(planOf(await back.clone().explain('executionStats'))).toMatchObject({
      index: 'account_1_at_-1__id_-1',
      documents: 5,
      keys: 5,
    });
    expect((await back.toArray()).map((link) => link._id)).toEqual([1, 3, 5, 7, 9]);
    const merged = links
      .find({ account: 1, visibility: { $in: ['public', 'unlisted'] } })
      .sort({ at: -1, _id: -1 })
      .limit(3);
    const plan = planOf(await merged.clone().explain('executionStats'));
    expect(plan.stages).not.toContain('SORT');
    expect(plan.documents).toBeLessThan(10);
    expect((await merged.toArray()).map((link) => link._id)).toEqual([2999, 2995, 2993]);
    const counted = await server.db.command({
      explain: { count: links.collectionName, query: { account: 1 } },
      verbosity: 'executionStats',
    });
    expect(planOf(counted)).toMatchObject({ documents: 0, keys: 1500 });
    const grouped = await links
      .aggregate([{ $match: { account: 1, visibility: 'public' } }, { $group: { _id: 1, n: { $sum: 1 } } }])
      .explain('executionStats');
    expect(planOf(grouped)).toMatchObject({ index: 'account_1_visibility_1_at_-1__id_-1', documents: 0 });
    expect(planOf(await links.find({ tags: 't7' }).explain('executionStats'))).toMatchObject({
      index: 'tags_1',
      documents: 60,
    });
    expect(planOf(await links.find({ visibility: 'public' }).explain('executionStats'))).toMatchObject({
      stages: ['COLLSCAN'],
      keys: 0,
      documents: 3000,
    });
    expect(planOf(await links.find({ _id: 5 }).explain('executionStats'))).toMatchObject({
      index: '_id_',
      documents: 1,
    });
    expect(planOf(await links.find({ $or: [{ _id: 5 }, { tags: 't7' }] }).explain('executionStats'))).toMatchObject({
      documents: 61,
    });
    expect(planOf(await links.find({ account: 1 }).hint('_id_').explain('executionStats'))).toMatchObject({
      index: '_id_',
      documents: 3000,
    });
    await refusal(links.find({}).hint('none').toArray(), 2);
  });

  it('use a partial or sparse index only where it has all matches', async () => {
    const links = server.collection<{ _id: number; a?: number; live?: boolean }>();
    await links.createIndex({ a: 1 }, { partialFilterExpression: { live: true } });
    await links.createIndex({ a: 1, live: 1 }, { sparse: true });
    await links.insertMany([{ _id: 1, a: 1, live: true }, { _id: 2, a: 1 }, { _id: 3 }, { _id: 4, live: false }]);
    expect(await links.countDocuments({ a: 1 })).toBe(2);
    expect(await links.countDocuments({ a: 1, live: true })).toBe(1);
    expect(await links.countDocuments({ a: null as never })).toBe(2);
    expect(await links.find().sort({ a: 1 }).toArray()).toHaveLength(4);
  });
});
