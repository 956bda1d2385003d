import { MongoClient } from 'mongodb';
import { describe, expect, it } from 'vitest';
import { isGiven, refusal, useServer } from './given-server.ts';

const server = useServer();

describe('commands', () => {
  it('announces the primary of a replica set with retryable writes', async () => {
    const hello = await server.db.command({ hello: 1 });
    expect(hello).toMatchObject({
      isWritablePrimary: true,
      setName: 'rs0',
      maxBsonObjectSize: 16_777_216,
      maxMessageSizeBytes: 48_000_000,
      logicalSessionTimeoutMinutes: 30,
    });
    expect(hello.hosts).toEqual([hello.me]);
    for (const url of [
      `${server.url.split('?')[0]}?directConnection=true`,
      `${server.url.split('?')[0]}?replicaSet=rs0`,
    ]) {
      const client = new MongoClient(url, { serverSelectionTimeoutMS: 2000 });
      expect(await client.db('admin').command({ ping: 1 })).toMatchObject({ ok: 1 });
      await client.close();
    }
  });

  it('tells what it is', async () => {
    expect(await server.db.admin().buildInfo()).toMatchObject({ ok: 1 });
    expect(await server.db.command({ connectionStatus: 1 })).toMatchObject({
      ok: 1,
      authInfo: { authenticatedUsers: expect.any(Array) },
    });
    expect(await server.db.admin().command({ getParameter: 1, featureCompatibilityVersion: 1 })).toMatchObject({
      ok: 1,
    });
  });

  it('lists, makes and drops collections and databases', async () => {
    const db = server.client.db(`${server.db.databaseName}_b`);
    await db.createCollection('one');
    await db.collection('two').insertOne({});
    const collections = await db.listCollections().toArray();
    expect(collections.map(({ name }) => name).sort()).toEqual(['one', 'two']);
    expect(await db.listCollections({ name: 'one' }, { nameOnly: true }).toArray()).toMatchObject([
      { name: 'one', type: 'collection' },
    ]);
    const { databases } = await server.client.db('admin').admin().listDatabases({ nameOnly: true });
    expect(databases.map(({ name }) => name)).toContain(db.databaseName);
    await db.dropCollection('one');
    expect(await db.listCollections().toArray()).toHaveLength(1);
    await db.dropDatabase();
    expect(await db.listCollections().toArray()).toEqual([]);
    expect(await db.collection('two').countDocuments()).toBe(0);
  });

  it('refuses a command that is unknown (59)', async () => {
    const error = await refusal(server.db.command({ foo: 1 }), 59);
    expect(error.codeName).toBe('CommandNotFound');
    if (!isGiven) await refusal(server.db.command({ bulkWrite: 1, ops: [], nsInfo: [] }), 59);
  });

  it.each<[string, object]>([
    ['find', { find: 'x', foo: 1 }],
    ['insert', { insert: 'x', documents: [{}], foo: 1 }],
    ['a statement of update', { update: 'x', updates: [{ q: {}, u: { $set: { a: 1 } }, foo: 1 }] }],
    ['a statement of delete', { delete: 'x', deletes: [{ q: {}, limit: 0, foo: 1 }] }],
    ['findAndModify', { findAndModify: 'x', query: {}, remove: true, foo: 1 }],
    ['aggregate', { aggregate: 'x', pipeline: [], cursor: {}, foo: 1 }],
    ['count', { count: 'x', query: {}, foo: 1 }],
    ['create', { create: 'y', capped: true, size: 100 }],
    ['the find in explain', { explain: { find: 'x', foo: 1 } }],
  ])('refuses a field of %s that it does not know (40415)', async (_name, command) => {
    if (isGiven) return; // the third-party server overlooks some of them
    await refusal(server.db.command(command), 40415);
  });

  it('refuses transactions (263), since it has none', async () => {
    if (isGiven) return; // has them
    const session = server.client.startSession();
    session.startTransaction();
    await refusal(server.db.collection('x').insertOne({}, { session }), 263);
    await session.abortTransaction();
    await session.endSession();
    expect(await server.db.collection('x').countDocuments()).toBe(0);
  });

  it('refuses collation and tailable cursors rather than overlook them', async () => {
    if (isGiven) return; // words these its own way
    const links = server.db.collection('x');
    await refusal(links.find({}, { collation: { locale: 'de' } }).toArray(), 2);
    await refusal(links.updateOne({}, { $set: { a: 1 } }, { collation: { locale: 'de' } }), 2);
    await refusal(links.find({}, { tailable: true }).toArray(), 238);
  });

  it('ends a command that takes longer than maxTimeMS (50)', async () => {
    if (isGiven) return; // its gateway drops maxTimeMS
    const links = server.collection();
    await links.insertMany(Array.from({ length: 20_000 }, (_, n) => ({ n, text: `${n}`.repeat(20) })));
    await refusal(links.find({ text: /nowhere/i }, { maxTimeMS: 1 }).toArray(), 50);
  });

  it('refuses names that are not valid (73)', async () => {
    await refusal(server.db.command({ insert: '', documents: [{}] }), 73);
    if (!isGiven) await refusal(server.db.command({ insert: 'a$b', documents: [{}] }), 73);
  });
});
