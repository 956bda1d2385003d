import { randomBytes } from 'node:crypto';
import { Binary, type Collection, MongoClient } from 'mongodb';
import { afterAll, expect, test } from 'vitest';
import { isDuplicateKey } from '../src/database/database-errors.ts';
import { type CollectionWrites, DocumentMissed, writeEach, writeInOne, writesTo } from '../src/database/write-all.ts';
import { mongodbUrl } from './support/mongodb-url.ts';

// The writes of a transaction, in a command for each collection and, as MongoDB 8 has it, in one for all of them.

interface Stored {
  _id: string;
  n?: number;
  value?: unknown;
}

type Write = CollectionWrites['writes'][number];

const client = new MongoClient(mongodbUrl());
const databases = [0, 1].map(() => client.db(`waymark_test_${randomBytes(6).toString('hex')}`));
afterAll(async () => {
  for (const database of databases) await database.dropDatabase();
  await client.close();
});

const insert = (_id: string, more: Partial<Stored> = {}): Write =>
  ({ insertOne: { document: { _id, ...more } } }) as never;
const update = (filter: Partial<Stored>, more: object = { $set: { n: 2 } }): Write =>
  ({ updateOne: { filter, update: more } }) as never;
const remove = (_id: string): Write => ({ deleteOne: { filter: { _id } } }) as never;

/** Runs the same writes in a transaction of two databases, each in its way, and returns what each has then. */
async function inBoth(first: Write[], second: Write[]): Promise<{ error: unknown; stored: Stored[][] }[]> {
  const ways = process.env.MONGODB_URL === undefined ? [writeEach, writeInOne] : [writeEach, writeEach];
  return Promise.all(
    databases.map(async (database, at) => {
      const collections = ['guarded', 'other'].map((name) => database.collection<Stored>(name));
      const [guarded, other] = collections as [Collection<Stored>, Collection<Stored>];
      for (const one of collections) {
        await one.deleteMany({});
        await one.insertMany(['a', 'b', 'c'].map((_id) => ({ _id, n: 1, value: 'before' })));
      }
      const all = [writesTo(guarded, first as never, true), writesTo(other, second as never)];
      const error = await client.withSession((session) =>
        session
          .withTransaction(() => (ways[at] === writeInOne ? writeInOne(client, all, session) : writeEach(all, session)))
          .then(
            () => null,
            (reason: unknown) => reason,
          ),
      );
      return { error, stored: await Promise.all(collections.map((one) => one.find().sort({ _id: 1 }).toArray())) };
    }),
  );
}

const before = ['a', 'b', 'c'].map((_id) => ({ _id, n: 1, value: 'before' }));

test('the same writes give the same documents, in their order', async () => {
  const values = { texts: ['é', ''], at: new Date(5), bytes: new Binary(Buffer.from('x')), no: null, deep: { n: 1.5 } };
  const [each, one] = await inBoth(
    [
      insert('d', { value: values }),
      update({ _id: 'a', n: 1 }, { $set: { value: values }, $unset: { n: '' } }),
      remove('b'),
    ],
    [
      remove('a'),
      insert('a', { n: 3 }),
      update({ _id: 'a' }),
      update({ _id: 'none' }),
      remove('none'),
      update({ _id: 'b' }),
    ],
  );
  expect(each!.error).toBeNull();
  expect(each!.stored).toEqual([
    [{ _id: 'a', value: values }, before[2], { _id: 'd', value: values }],
    [{ _id: 'a', n: 2 }, { ...before[1], n: 2 }, before[2]],
  ]);
  expect(one).toEqual(each);
  // Nothing to write is no command.
  expect(await inBoth([], [])).toEqual([0, 1].map(() => ({ error: null, stored: [before, before] })));
});

test.each([
  { what: 'an update', guarded: [update({ _id: 'a', n: 5 })] },
  { what: 'a deletion', guarded: [remove('none')] },
  { what: 'one of several', guarded: [insert('d'), update({ _id: 'a' }), update({ _id: 'b', n: 0 }), remove('c')] },
])('nothing is written if a guarded write misses its document: $what', async ({ guarded }) => {
  for (const { error, stored } of await inBoth(guarded, [insert('d')])) {
    expect(error).toBeInstanceOf(DocumentMissed);
    expect(stored).toEqual([before, before]);
  }
});

test('nothing is written if an id is taken, and the error says so', async () => {
  for (const { error, stored } of await inBoth([update({ _id: 'a' })], [insert('d'), insert('b')])) {
    expect(isDuplicateKey(error)).toBe(true);
    expect(stored).toEqual([before, before]);
  }
});
