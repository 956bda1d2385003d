import { mkdtemp, rm } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BSON } from 'mongodb';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { randomCredentials } from '../../src/credentials.ts';
import { type MongoServer, startMongoServer } from '../../src/mongodb/server.ts';
import { message, open, readReplies, readReply, uint32, withHeader } from './raw-connection.ts';

const credentials = randomCredentials();
let server: MongoServer;
let folder: string;
const sockets: Socket[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'waymark-mongodb-'));
  server = await startMongoServer({ dataDir: folder, credentials });
});
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
});
afterAll(async () => {
  await server.close();
  await rm(folder, { recursive: true, force: true });
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

describe('the wire', () => {
  it('handles messages that arrive in pieces and several in one piece', async () => {
    const socket = await connection();
    for (const byte of message(PING)) socket.write(Buffer.of(byte));
    expect(await readReply(socket)).toMatchObject({ ok: 1 });
    const two = readReplies(socket, 2);
    socket.write(Buffer.concat([message(PING), message({ foo: 1, $db: 'admin' })]));
    expect(await two).toMatchObject([{ ok: 1 }, { ok: 0, code: 59 }]);
  });

  it('reads documents from a section of kind 1', async () => {
    const documents = Buffer.concat([{ _id: 1 }, { _id: 2 }].map((document) => BSON.serialize(document)));
    const sequence = Buffer.concat([Buffer.from('documents\0'), documents]);
    const body = Buffer.from(BSON.serialize({ insert: 'wire', $db: 'test' }));
    const content = Buffer.concat([uint32(0), Buffer.of(1), uint32(sequence.length + 4), sequence, Buffer.of(0), body]);
    expect(await reply(withHeader(content))).toMatchObject({ ok: 1, n: 2 });
  });

  it('executes a message that wants no reply without replying', async () => {
    const socket = await connection();
    const answer = readReply(socket);
    socket.write(message({ insert: 'quiet', documents: [{ _id: 1 }], $db: 'test', writeConcern: { w: 0 } }, 2, 7));
    socket.write(message({ find: 'quiet', $db: 'test' }));
    expect(await answer).toMatchObject({ ok: 1, cursor: { firstBatch: [{ _id: 1 }] } });
  });

  it.each<[string, Buffer]>([
    ['an impossible length', Buffer.concat([uint32(5), Buffer.alloc(12)])],
    ['a length over 48,000,000 bytes', Buffer.concat([uint32(48_000_001), Buffer.alloc(12)])],
    ['an unknown operation', withHeader(Buffer.alloc(20), 1, 1234)],
    ['unknown flags that must be understood', message(PING, 4)],
    ['a checksum, which no driver sends', message(PING, 1)],
    ['no body', withHeader(Buffer.concat([uint32(0), Buffer.of(1), uint32(10), Buffer.from('a\0\0\0\0\0')]))],
    ['a section of an unknown kind', withHeader(Buffer.concat([uint32(0), Buffer.of(9), BSON.serialize(PING)]))],
    [
      'BSON that is cut off',
      withHeader(
        Buffer.concat([uint32(0), Buffer.of(0), Buffer.from([16, 0, 0, 0, 2, 97, 0, 99, 0, 0, 0, 98, 0, 0, 0, 0])]),
      ),
    ],
  ])('closes only the connection that sends %s', async (_name, bytes) => {
    const other = await connection();
    await expect(reply(bytes)).rejects.toThrow('closed');
    const answer = readReply(other);
    other.write(message(PING));
    expect(await answer).toMatchObject({ ok: 1 });
  });

  it('survives random bytes in a message', async () => {
    let seed = 7;
    for (let round = 0; round < 300; round += 1) {
      const bytes = message({ find: 'wire', filter: { a: [1, { b: 'text' }] }, $db: 'test' });
      for (let change = 0; change < 3; change += 1) {
        seed = (seed * 1103515245 + 12345) % 2147483648;
        bytes[16 + (seed % (bytes.length - 16))] = seed >> 8;
      }
      const socket = await open(server.url);
      const outcome = readReply(socket).catch(() => undefined);
      socket.end(bytes);
      await outcome;
      socket.destroy();
    }
    expect(await reply(message(PING))).toMatchObject({ ok: 1 });
  });

  it('keeps the order of replies for a client that sends many requests before it reads', async () => {
    const text = 'x'.repeat(300_000);
    for (let from = 0; from < 100; from += 50) {
      const documents = Array.from({ length: 50 }, (_, n) => ({ _id: from + n, text }));
      await reply(message({ insert: 'large', documents, $db: 'test' }));
    }
    const socket = await connection();
    socket.pause();
    for (let n = 0; n < 100; n += 1) socket.write(message({ find: 'large', filter: { _id: n }, $db: 'test' }));
    await new Promise((resolve) => setTimeout(resolve, 200));
    socket.resume();
    const replies = await readReplies(socket, 100);
    expect(replies.map(({ cursor }) => cursor.firstBatch[0]._id)).toEqual(Array.from({ length: 100 }, (_, n) => n));
  });

  it('continues when clients disconnect within a result or a request', async () => {
    const documents = Array.from({ length: 1000 }, (_, _id) => ({ _id, text: 'x'.repeat(1000) }));
    await reply(message({ insert: 'many', documents, $db: 'test' }));
    for (let n = 0; n < 20; n += 1) {
      const socket = await open(server.url);
      socket.on('error', () => undefined);
      socket.write(message({ find: 'many', batchSize: 500, $db: 'test' }));
      socket.write(
        message({ update: 'many', updates: [{ q: {}, u: { $inc: { n: 1 } }, multi: true }], $db: 'test' }).subarray(
          0,
          60,
        ),
      );
      if (n % 2 === 0) await readReply(socket);
      socket.destroy();
    }
    expect(await reply(message({ find: 'many', filter: { n: { $exists: true } }, $db: 'test' }))).toMatchObject({
      cursor: { firstBatch: [] },
      ok: 1,
    });
  });

  it('listens on loopback only', async () => {
    await expect(startMongoServer({ dataDir: join(folder, 'other'), credentials, host: '0.0.0.0' })).rejects.toThrow(
      'loopback',
    );
  });

  it('reports a taken port', async () => {
    await expect(startMongoServer({ dataDir: join(folder, 'other'), credentials, port: server.port })).rejects.toThrow(
      'EADDRINUSE',
    );
  });
});
