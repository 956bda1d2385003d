import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BSON, MongoClient } from 'mongodb';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type MongoServer, startMongoServer } from '../../src/mongodb/server.ts';
import { ask, message, open, readReplies, readReply, uint32, withHeader } from './raw-connection.ts';

let server: MongoServer;
let folder: string;
const sockets: Socket[] = [];

beforeAll(async () => {
  // The driver puts the names of hosts into lower case.
  folder = mkdtempSync(join(tmpdir(), 'Waymark MongoDB-'));
  server = await startMongoServer({ dataDir: join(folder, 'data') });
});
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
});
afterAll(async () => {
  await server.close();
  rmSync(folder, { recursive: true });
});

async function connection(): Promise<Socket> {
  const socket = await open(server.url);
  sockets.push(socket);
  return socket;
}

async function reply(bytes: Buffer) {
  const socket = await connection();
  const answer = readReply(socket);
  socket.write(bytes);
  return answer;
}

const PING = { ping: 1, $db: 'admin' };

describe('the socket', () => {
  it('connects a driver with the primary of a replica set', async () => {
    const client = await MongoClient.connect(server.url);
    expect(await client.db('admin').command({ hello: 1 })).toMatchObject({
      isWritablePrimary: true,
      setName: 'rs0',
      me: join(folder, 'data/mongodb.sock'),
    });
    await client.close();
  });

  it('and the data are out of reach for other users', () => {
    expect(statSync(join(folder, 'data')).mode & 0o777).toBe(0o700);
    if (process.getuid!() !== 0) return;
    chmodSync(folder, 0o755);
    const script = `
      const path = ${JSON.stringify(join(folder, 'data'))};
      require('net').connect(path + '/mongodb.sock').on('error', ({ code }) => console.log(code));
      try { require('fs').readFileSync(path + '/data.mdb'); } catch ({ code }) { console.log(code); }`;
    const output = execFileSync(process.execPath, ['-e', script], {
      uid: 65534,
      gid: 65534,
      cwd: '/',
      encoding: 'utf8',
    });
    expect(output).toBe('EACCES\nEACCES\n');
  });

  it('is refused in a folder that others may use, with a path that is too long, and while a server listens', async () => {
    const shared = join(folder, 'shared');
    mkdirSync(shared);
    chmodSync(shared, 0o755);
    await expect(startMongoServer({ dataDir: shared })).rejects.toThrow(
      `may use ${shared}: change its owner, or its mode`,
    );
    const socket = join(folder, 'shared/mongodb.sock');
    await expect(startMongoServer({ dataDir: join(folder, 'other'), socket })).rejects.toThrow(`may use ${shared}`);
    const long = join(folder, 'x'.repeat(100));
    await expect(startMongoServer({ dataDir: long })).rejects.toThrow('longer than 103 bytes: choose a shorter folder');
    const short = await startMongoServer({ dataDir: long, socket: join(folder, 'own/short.sock') });
    await short.close();
    expect(existsSync(join(folder, 'own/short.sock'))).toBe(false);
    await expect(startMongoServer({ dataDir: join(folder, 'data') })).rejects.toThrow('another server listens on');
    expect(await reply(message(PING))).toMatchObject({ ok: 1 });
  });

  it('may be a port instead, which is open to everybody on the machine', async () => {
    const other = await startMongoServer({ dataDir: join(folder, 'port'), openPort: 0 });
    expect(other.url).toMatch(/^mongodb:\/\/127\.0\.0\.1:\d+\//);
    const client = await MongoClient.connect(other.url);
    expect(await client.db('admin').command({ ping: 1 })).toMatchObject({ ok: 1 });
    await client.close();
    await other.close();
  });
});

describe('the wire', () => {
  it('handles messages that arrive in pieces and several in one piece', async () => {
    const socket = await connection();
    for (const byte of message(PING)) socket.write(Buffer.of(byte));
    expect(await readReply(socket)).toMatchObject({ ok: 1 });
    const two = readReplies(socket, 2);
    socket.write(Buffer.concat([message(PING), message({ foo: 1, $db: 'admin' })]));
    expect(await two).toMatchObject([{ ok: 1 }, { ok: 0, code: 59 }]);
  });

  it('does what wants no reply without a reply', async () => {
    const socket = await connection();
    const answer = readReply(socket);
    socket.write(message({ insert: 'quiet', documents: [{ _id: 1 }], $db: 'test', writeConcern: { w: 0 } }, 2));
    socket.write(message({ find: 'quiet', $db: 'test' }));
    expect(await answer).toMatchObject({ ok: 1, cursor: { firstBatch: [{ _id: 1 }] } });
  });

  const cutOff = Buffer.from([16, 0, 0, 0, 2, 97, 0, 99, 0, 0, 0, 98, 0, 0, 0, 0]);
  it.each<[string, Buffer]>([
    ['an impossible length', Buffer.concat([uint32(5), Buffer.alloc(12)])],
    ['a length over 48,000,000 bytes', Buffer.concat([uint32(48_000_001), Buffer.alloc(12)])],
    ['an unknown operation', withHeader(Buffer.alloc(20), 1234)],
    ['unknown flags that must be understood', message(PING, 4)],
    ['no body', withHeader(Buffer.concat([uint32(0), Buffer.of(1), uint32(10), Buffer.from('a\0\0\0\0\0')]))],
    ['a section of an unknown kind', withHeader(Buffer.concat([uint32(0), Buffer.of(9), BSON.serialize(PING)]))],
    ['BSON that is cut off', withHeader(Buffer.concat([uint32(0), Buffer.of(0), cutOff]))],
  ])('closes only the connection that sends %s', async (_name, bytes) => {
    const other = await connection();
    await expect(reply(bytes)).rejects.toThrow('closed');
    expect(await ask(other, PING)).toMatchObject({ ok: 1 });
  });

  it('survives random bytes in a message, and clients that disconnect within a result or a request', async () => {
    const documents = Array.from({ length: 1000 }, (_, _id) => ({ _id, text: 'x'.repeat(1000) }));
    await reply(message({ insert: 'many', documents, $db: 'test' }));
    let seed = 7;
    for (let round = 0; round < 300; round += 1) {
      const bytes = message({ find: 'many', filter: { a: [1, { b: 'text' }] }, $db: 'test' });
      for (let change = 0; change < 3; change += 1) {
        seed = (seed * 1103515245 + 12345) % 2147483648;
        bytes[16 + (seed % (bytes.length - 16))] = seed >> 8;
      }
      const socket = await connection();
      const outcome = readReply(socket).catch(() => undefined);
      socket.end(bytes);
      await outcome;
    }
    const updates = [{ q: {}, u: { $set: { n: 1 } }, multi: true }];
    for (let n = 0; n < 20; n += 1) {
      const socket = await connection();
      socket.on('error', () => undefined);
      socket.write(message({ find: 'many', batchSize: 500, $db: 'test' }));
      socket.write(message({ update: 'many', updates, $db: 'test' }).subarray(0, 60));
      if (n % 2 === 0) await readReply(socket);
      socket.destroy();
    }
    expect(await reply(message({ find: 'many', filter: { n: { $exists: true } }, $db: 'test' }))).toMatchObject({
      cursor: { firstBatch: [] },
    });
  });

  it('keeps the order of replies for a client that sends many requests before it reads', async () => {
    const documents = Array.from({ length: 100 }, (_, _id) => ({ _id, text: 'x'.repeat(100_000) }));
    await reply(message({ insert: 'large', documents, $db: 'test' }));
    const socket = await connection();
    socket.pause();
    for (let n = 0; n < 100; n += 1) socket.write(message({ find: 'large', filter: { _id: n }, $db: 'test' }));
    await reply(message(PING));
    const replies = readReplies(socket, 100);
    socket.resume();
    expect((await replies).map(({ cursor }) => cursor.firstBatch[0]._id)).toEqual(documents.map(({ _id }) => _id));
  });
});
