import { type ClientSession, type Collection, type Document, Long, MongoServerError, UUID } from 'mongodb';
import { describe, expect, it } from 'vitest';
import { isGiven, refusal, useServer } from './given-server.ts';
import { ask, message, open } from './raw-connection.ts';

const server = useServer({ maxPoolSize: 64 });

interface Counter {
  _id: string | number;
  n: number;
}

const TRANSIENT = 'TransientTransactionError';

/** Returns a collection with some documents: a given server may not create one inside a transaction. */
async function counters(...ids: Counter['_id'][]): Promise<Collection<Counter>> {
  const collection = server.collection<Counter>();
  await collection.insertMany(ids.map((_id) => ({ _id, n: 0 })));
  return collection;
}

/** Runs `body` in a transaction that is neither committed nor repeated by itself. */
async function inTransaction<T>(body: (session: ClientSession) => Promise<T>): Promise<T> {
  const session = server.client.startSession();
  session.startTransaction({ readConcern: { level: 'snapshot' }, writeConcern: { w: 'majority' } });
  try {
    return await body(session);
  } finally {
    await session.endSession();
  }
}

/** Repeats a transaction that another one was faster than. */
async function repeated(run: () => Promise<unknown>): Promise<void> {
  for (;;) {
    try {
      await run();
      return;
    } catch (error) {
      if (![112, 251, 11000].includes((error as MongoServerError).code as number)) throw error;
    }
  }
}

const allOf = (collection: Collection<Counter>, options = {}) =>
  collection.find({}, options).sort({ _id: 1 }).toArray();

async function errorOf(promise: Promise<unknown>): Promise<MongoServerError> {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(MongoServerError);
  return error as MongoServerError;
}

describe('a transaction', () => {
  it('becomes visible to others as a whole when it is committed; it sees its own writes before', async () => {
    const [one, two] = [await counters('a', 'b'), await counters('x')];
    await inTransaction(async (session) => {
      await one.bulkWrite(
        [
          { updateOne: { filter: { _id: 'a' }, update: { $set: { n: 5 } } } },
          { insertOne: { document: { _id: 'c', n: 1 } } },
          { deleteOne: { filter: { _id: 'b' } } },
        ],
        { session },
      );
      await two.insertMany([{ _id: 'y', n: 2 }], { session });
      await two.updateOne({ _id: 'z' }, { $set: { n: 3 } }, { upsert: true, session });
      expect(await allOf(one, { session })).toEqual([
        { _id: 'a', n: 5 },
        { _id: 'c', n: 1 },
      ]);
      expect(await two.countDocuments({}, { session })).toBe(3);
      expect(await allOf(one)).toEqual([
        { _id: 'a', n: 0 },
        { _id: 'b', n: 0 },
      ]);
      expect(await two.countDocuments()).toBe(1);
      await session.commitTransaction();
    });
    expect(await allOf(one)).toEqual([
      { _id: 'a', n: 5 },
      { _id: 'c', n: 1 },
    ]);
    expect((await allOf(two)).map(({ _id }) => _id)).toEqual(['x', 'y', 'z']);
  });

  it('leaves nothing when it is aborted', async () => {
    const collection = await counters('a');
    await inTransaction(async (session) => {
      await collection.updateOne({ _id: 'a' }, { $set: { n: 9 } }, { session });
      await collection.insertOne({ _id: 'b', n: [1, 2] as never }, { session });
      await session.abortTransaction();
    });
    expect(await allOf(collection)).toEqual([{ _id: 'a', n: 0 }]);
    await collection.insertOne({ _id: 'b', n: 1 });
    expect(await collection.countDocuments({ n: 1 })).toBe(1);
  });

  it('leaves no collection and no property of an index when it is aborted', async () => {
    if (isGiven) return; // about the metadata of the embedded server
    const collection = server.collection<{ _id: number; a: number | number[] }>();
    await collection.createIndex({ a: 1 });
    const created = server.collection();
    await inTransaction(async (session) => {
      await collection.insertOne({ _id: 1, a: [1, 2] }, { session });
      await created.insertOne({}, { session });
      expect(await collection.find({ a: { $in: [1, 2] } }, { session }).toArray()).toHaveLength(1);
      await session.abortTransaction();
    });
    await refusal(created.indexes(), 26);
    await collection.insertOne({ _id: 2, a: [1, 2] });
    expect(await collection.find({ a: { $in: [1, 2] } }).toArray()).toHaveLength(1);
    await inTransaction(async (session) => {
      await created.insertOne({}, { session });
      await session.commitTransaction();
    });
    expect(await created.indexes()).toHaveLength(1);
  });

  it('reads in batches', async () => {
    const collection = await counters(...Array.from({ length: 250 }, (_, n) => n));
    await inTransaction(async (session) => {
      await collection.insertOne({ _id: 1000, n: 0 }, { session });
      const cursor = collection.find({}, { session, batchSize: 100 });
      expect(await cursor.toArray()).toHaveLength(251);
      await session.commitTransaction();
    });
  });

  it('is ended by an error of a statement, and nothing of it stays', async () => {
    const collection = await counters('a');
    await inTransaction(async (session) => {
      await collection.insertOne({ _id: 'b', n: 1 }, { session });
      const documents = [
        { _id: 'a', n: 1 },
        { _id: 'c', n: 1 },
      ];
      const duplicate = await errorOf(collection.insertMany(documents, { session, ordered: false }));
      expect(duplicate.code).toBe(11000);
      expect(duplicate.hasErrorLabel(TRANSIENT)).toBe(false);
      if (isGiven) return; // the given server's gateway continues the transaction
      const ended = await refusal(collection.insertOne({ _id: 'd', n: 1 }, { session }), 251);
      expect(ended.hasErrorLabel(TRANSIENT)).toBe(true);
      await refusal(session.commitTransaction(), 251);
    });
    expect(await allOf(collection)).toEqual([{ _id: 'a', n: 0 }]);
  });

  it('can be committed again, as a driver does when the reply was lost', async () => {
    if (isGiven) return; // the given server's gateway forgets a transaction that has ended
    const collection = await counters('a');
    await inTransaction(async (session) => {
      await collection.updateOne({ _id: 'a' }, { $set: { n: 1 } }, { session });
      await session.commitTransaction();
      await session.commitTransaction();
    });
    expect(await allOf(collection)).toEqual([{ _id: 'a', n: 1 }]);
  });
});

describe('concurrent transactions', () => {
  it('lose no update of one document', async () => {
    const collection = await counters('a');
    const add = () =>
      server.client.withSession((session) =>
        session.withTransaction(async () => {
          const { n } = (await collection.findOne({ _id: 'a' }, { session })) as Counter;
          await collection.updateOne({ _id: 'a' }, { $set: { n: n + 1 } }, { session });
          await collection.insertOne({ _id: n, n }, { session });
        }),
      );
    await Promise.all(Array.from({ length: 8 }, () => repeated(add)));
    expect(await collection.findOne({ _id: 'a' })).toEqual({ _id: 'a', n: 8 });
    expect(await collection.countDocuments()).toBe(9);
  });

  it('and single writes of one document are all applied', async () => {
    const collection = await counters('a');
    await inTransaction(async (session) => {
      await collection.updateOne({ _id: 'a' }, { $set: { n: 1 } }, { session });
      const single = collection.updateOne({ _id: 'a', n: 1 }, { $set: { n: 11 } });
      expect(await Promise.race([single, collection.findOne({ _id: 'a' })])).toEqual({ _id: 'a', n: 0 });
      await session.commitTransaction();
      await single;
    });
    expect(await allOf(collection)).toEqual([{ _id: 'a', n: 11 }]);
  });

  it('wait for each other at most 3 seconds (112), and are open at most 5 (251)', { timeout: 20_000 }, async () => {
    if (isGiven) return; // about the times of the embedded server
    const collection = await counters('a');
    await inTransaction(async (first) => {
      await collection.updateOne({ _id: 'a' }, { $set: { n: 1 } }, { session: first });
      await inTransaction(async (second) => {
        const conflict = await refusal(collection.findOne({ _id: 'a' }, { session: second }), 112);
        expect(conflict.hasErrorLabel(TRANSIENT)).toBe(true);
      });
      expect(await collection.findOne({ _id: 'a' }, { session: first })).toMatchObject({ n: 1 });
      await refusal(collection.updateOne({ _id: 'a' }, { $set: { n: 100 } }, { maxTimeMS: 100 } as never), 50);
      const ended = await refusal(collection.findOne({ _id: 'a' }, { session: first }), 251);
      expect(ended.hasErrorLabel(TRANSIENT)).toBe(true);
    });
    expect(await allOf(collection)).toEqual([{ _id: 'a', n: 0 }]);
  });

  it('are freed from one whose client is gone, before it has been open too long', async () => {
    if (isGiven) return; // a given server may wait for a time
    const collection = await counters('a');
    const holder = await open(server.url);
    await ask(holder, { update: collection.collectionName, updates: [{ q: {}, u: { $set: { n: 1 } } }], ...begin() });
    // Another client is gone while it waits for the first.
    const waiter = await open(server.url);
    waiter.write(message({ find: collection.collectionName, ...begin() }));
    await ask(await open(server.url), { ping: 1, $db: 'admin' });
    waiter.destroy();
    holder.destroy();
    // It waits for 3 seconds (112), and the first could be open for 5.
    await inTransaction(async (session) => expect(await allOf(collection, { session })).toEqual([{ _id: 'a', n: 0 }]));
  });
});

describe.skipIf(isGiven)('the protocol of transactions', () => {
  it('refuses statements that a transaction must not contain', async () => {
    await inTransaction(async (session) => {
      const collection = server.collection();
      await refusal(collection.createIndex({ a: 1 }, { session }), 263);
      await refusal(server.db.command({ ping: 1 }, { session }), 263);
      await session.abortTransaction();
    });
    const id = begin();
    const name = server.collection().collectionName;
    const { startTransaction: _, ...statement } = id;
    const { autocommit: __, ...noTransaction } = statement;
    const replies = await converse([
      { commitTransaction: 1, ...noTransaction },
      { find: name, ...statement },
      { find: name, ...id, autocommit: true },
      { find: name, ...id, lsid: undefined },
      { find: name, ...id, startTransaction: false },
      { insert: name, documents: [{}], ...id, writeConcern: { w: 1 } },
      { insert: name, documents: [{}], ...id },
      { find: name, ...statement, readConcern: { level: 'local' } },
      { find: name, ...id },
      { commitTransaction: 1, ...statement },
    ]);
    expect(replies.map(({ code }) => code)).toEqual([125, 251, 72, 72, 72, 72, undefined, 72, undefined, undefined]);
  });

  it('answers a committed, an aborted and an older transaction as MongoDB does', async () => {
    const name = server.collection().collectionName;
    const { startTransaction: _, ...first } = begin(5);
    const older = { ...first, txnNumber: Long.fromNumber(4) };
    const newer = { ...first, txnNumber: Long.fromNumber(6) };
    const start = { startTransaction: true };
    const insert = { insert: name, documents: [{ a: 1 }] };
    const { autocommit: __, ...single } = first;
    const replies = await converse([
      { ...insert, ...first, ...start },
      { commitTransaction: 1, ...first },
      { commitTransaction: 1, ...first, writeConcern: { w: 'majority' } },
      { abortTransaction: 1, ...first },
      { ...insert, ...first },
      { ...insert, ...first, ...start },
      { ...insert, ...single },
      { ...insert, ...older, ...start },
      { ...insert, ...newer, ...start },
      { abortTransaction: 1, ...newer },
      { abortTransaction: 1, ...newer },
      { commitTransaction: 1, ...newer },
    ]);
    expect(replies.map(({ code, errorLabels }) => [code, errorLabels])).toEqual([
      [undefined, undefined],
      [undefined, undefined],
      [undefined, undefined],
      [256, undefined],
      [256, undefined],
      [117, undefined],
      [117, undefined],
      [225, undefined],
      [undefined, undefined],
      [undefined, undefined],
      [251, [TRANSIENT]],
      [251, [TRANSIENT]],
    ]);
    expect(await server.db.collection(name).countDocuments()).toBe(1);
  });

  it('gives up a transaction when its session begins another one, or ends', async () => {
    const collection = await counters('a');
    const name = collection.collectionName;
    const insert = { insert: name, documents: [{ a: 1 }] };
    const first = begin(1);
    const { startTransaction: _, ...second } = { ...first, txnNumber: Long.fromNumber(2) };
    const [, , lost, kept] = await converse([
      { ...insert, ...first },
      { ...insert, ...second, startTransaction: true },
      { commitTransaction: 1, ...first, startTransaction: undefined },
      { ...insert, ...second },
      { endSessions: [first.lsid], $db: 'admin' },
    ]);
    expect([lost?.code, kept?.code]).toEqual([251, undefined]);
    await collection.updateOne({ _id: 'a' }, { $set: { n: 1 } });
    expect(await allOf(collection)).toEqual([{ _id: 'a', n: 1 }]);
  });
});

/** Returns the fields of the first command of a transaction in a new session. */
function begin(number = 1) {
  const lsid = { id: new UUID() };
  const $db = server.db.databaseName;
  return { lsid, txnNumber: Long.fromNumber(number), startTransaction: true, autocommit: false, $db };
}

/** Sends commands on one connection, each after the reply to the last. */
async function converse(commands: Document[]): Promise<Document[]> {
  const socket = await open(server.url);
  const replies: Document[] = [];
  for (const command of commands) {
    const defined = Object.entries(command).filter(([, value]) => value !== undefined);
    replies.push(await ask(socket, Object.fromEntries(defined)));
  }
  socket.destroy();
  return replies;
}
