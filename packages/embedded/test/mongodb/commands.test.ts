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

  it('drops a database', async () => {
    const db = server.client.db(`${server.db.databaseName}_b`);
    await db.collection('one').insertOne({});
    await db.collection('two').insertOne({});
    await db.dropDatabase();
    expect(await db.collection('one').countDocuments()).toBe(0);
    expect(await db.collection('two').findOne()).toBeNull();
  });

  it('refuses a command that is unknown (59)', async () => {
    const error = await refusal(server.db.command({ foo: 1 }), 59);
    expect(error.codeName).toBe('CommandNotFound');
  });

  it('ends a command that takes longer than maxTimeMS (50)', async () => {
    if (isGiven) return; // the given server's gateway ignores maxTimeMS
    const links = server.collection();
    await links.insertMany(Array.from({ length: 20_000 }, (_, n) => ({ n, text: `${n}`.repeat(20) })));
    await refusal(links.find({ text: { $regex: 'nowhere' } }, { maxTimeMS: 1 }).toArray(), 50);
  });

  it('refuses invalid names (73)', async () => {
    await refusal(server.db.command({ insert: '', documents: [{}] }), 73);
    if (!isGiven) await refusal(server.db.command({ insert: 'a$b', documents: [{}] }), 73);
  });
});
