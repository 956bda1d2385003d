import { type AnyClientBulkWriteModel, type Document, Long, MongoClientBulkWriteError, UUID } from 'mongodb';
import { describe, expect, it } from 'vitest';
import { isGiven, refusal, useServer } from './given-server.ts';
import { ask, open } from './raw-connection.ts';

const server = useServer();

interface Counter {
  _id: string;
  n: number;
}

async function pair() {
  const [one, two] = [server.collection<Counter>(), server.collection<Counter>()];
  await one.insertMany(['a', 'b'].map((_id) => ({ _id, n: 1 })));
  const insert = (_id: string) => ({ name: 'insertOne', namespace: two.namespace, document: { _id, n: 2 } });
  return { one, two, insert };
}

const write = (models: readonly object[], options: object = {}) =>
  server.client.bulkWrite(models as AnyClientBulkWriteModel<Document>[], options);

const idsOf = async (collection: Awaited<ReturnType<typeof pair>>['one']) =>
  (await collection.find().sort({ _id: 1 }).toArray()).map(({ _id }) => _id);

async function failure(promise: Promise<unknown>): Promise<MongoClientBulkWriteError> {
  const error = await promise.catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(MongoClientBulkWriteError);
  return error as MongoClientBulkWriteError;
}

// A given server may be older than MongoDB 8.
describe.skipIf(isGiven)('bulkWrite', () => {
  it('inserts into, updates and deletes from several collections in one command', async () => {
    const { one, two, insert } = await pair();
    const { namespace } = one;
    const models = [
      {
        name: 'updateOne',
        namespace,
        filter: { _id: 'a', n: 1 },
        update: { $set: { n: 5 }, $currentDate: { at: true } },
      },
      { name: 'updateOne', namespace, filter: { _id: 'none' }, update: { $max: { n: 9 } } },
      { name: 'updateOne', namespace, filter: { _id: 'new' }, update: { $setOnInsert: { n: 7 } }, upsert: true },
      { name: 'updateMany', namespace, filter: {}, update: { $unset: { at: '' } } },
      insert('x'),
      insert('y'),
      { name: 'deleteOne', namespace, filter: { _id: 'b' } },
      { name: 'deleteMany', namespace: two.namespace, filter: { _id: { $in: ['y'] } } },
    ];
    const result = await write(models, { verboseResults: true });
    expect(result).toMatchObject({
      insertedCount: 2,
      matchedCount: 4,
      modifiedCount: 2,
      upsertedCount: 1,
      deletedCount: 2,
    });
    expect(result.insertResults).toEqual(new Map([4, 5].map((at) => [at, { insertedId: 'xy'[at - 4] }])));
    expect(result.updateResults?.get(2)).toMatchObject({ upsertedId: 'new' });
    expect(result.deleteResults?.get(7)).toEqual({ deletedCount: 1 });
    expect(await one.find().sort({ _id: 1 }).toArray()).toEqual([
      { _id: 'a', n: 5 },
      { _id: 'new', n: 7 },
    ]);
    expect(await idsOf(two)).toEqual(['x']);
  });

  it('ends at the first error, or goes on if it is not ordered', async () => {
    const { one, two, insert } = await pair();
    const taken = { name: 'insertOne', namespace: one.namespace, document: { _id: 'a' } };
    const ordered = await failure(write([insert('x'), taken, insert('y')]));
    expect([...ordered.writeErrors]).toMatchObject([[1, { code: 11000 }]]);
    expect(await idsOf(two)).toEqual(['x']);
    const others = await failure(write([insert('x'), taken, insert('z')], { ordered: false }));
    expect([...others.writeErrors.keys()]).toEqual([0, 1]);
    expect(others.partialResult).toMatchObject({ insertedCount: 1 });
    expect(await idsOf(two)).toEqual(['x', 'z']);
  });

  it('is part of a transaction, and its error ends the transaction', async () => {
    const { one, two, insert } = await pair();
    const remove = { name: 'deleteOne', namespace: one.namespace, filter: { _id: 'a' } };
    await server.client.withSession((session) =>
      session.withTransaction(async () => {
        await write([insert('x'), remove], { session });
        expect(await idsOf(two)).toEqual([]);
      }),
    );
    expect([await idsOf(one), await idsOf(two)]).toEqual([['b'], ['x']]);
    await server.client.withSession(async (session) => {
      session.startTransaction();
      await failure(write([insert('y'), insert('x')], { session }));
      await refusal(session.commitTransaction(), 251);
    });
    expect(await idsOf(two)).toEqual(['x']);
  });

  it('is applied once if it is retried, and stores every type as it arrives', async () => {
    const { two } = await pair();
    const sent = {
      bulkWrite: 1,
      ops: [{ insert: 0, document: { n: Long.fromNumber(5), _id: 'late' } }],
      nsInfo: [{ ns: two.namespace }],
      errorsOnly: true,
      lsid: { id: new UUID() },
      txnNumber: Long.fromNumber(1),
      $db: 'admin',
    };
    const socket = await open(server.url);
    const first = await ask(socket, sent);
    expect(first).toMatchObject({ ok: 1, nInserted: 1, nErrors: 0, cursor: { firstBatch: [] } });
    expect(await ask(socket, sent)).toEqual(first);
    socket.destroy();
    const found = await two.find({}, { promoteValues: false }).toArray();
    expect(found.map((one) => Object.entries(one))).toEqual([
      [
        ['_id', 'late'],
        ['n', Long.fromNumber(5)],
      ],
    ]);
  });

  it.each<[string, object, number]>([
    ['another database than admin', { $db: 'test' }, 13],
    ['an unknown operation', { ops: [{ replace: 0 }] }, 40415],
    ['an unknown field', { ops: [{ delete: 0, filter: {}, hint: '_id_' }] }, 40415],
    ['an index without a namespace', { ops: [{ delete: 1, filter: {} }] }, 2],
    ['a namespace without a collection', { nsInfo: [{ ns: 'test' }] }, 73],
    ['an insertion of no document', { ops: [{ insert: 0, document: 'x' }] }, 40414],
    ['an operation that is no document', { ops: [5] }, 22],
    ['no operations', { ops: [] }, 16],
  ])('is refused for %s, and writes nothing', async (_what, more, code) => {
    const { two } = await pair();
    const [socket, ns] = [await open(server.url), two.namespace];
    const ops = [{ insert: 0, document: { _id: 'x' } }];
    expect(await ask(socket, { bulkWrite: 1, ops, nsInfo: [{ ns }], $db: 'admin', ...more })).toMatchObject({ code });
    expect(await idsOf(two)).toEqual([]);
    socket.destroy();
  });
});
