import { mkdtemp, rm } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Binary, MongoClient } from 'mongodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { randomCredentials } from '../../src/credentials.ts';
import { type MongoServer, startMongoServer } from '../../src/mongodb/server.ts';
import { message, open, readReply, sendRaw } from './raw-connection.ts';

const credentials = randomCredentials();
let folder: string;
let server: MongoServer;
/** URL without user and password. */
let address: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'waymark-mongodb-'));
  server = await startMongoServer({ dataDir: folder, credentials });
  address = `mongodb://${server.address}`;
});
afterAll(async () => {
  await server.close();
  await rm(folder, { recursive: true, force: true });
});

async function errorOf(url: string): Promise<unknown> {
  const client = new MongoClient(url, { serverSelectionTimeoutMS: 3000 });
  try {
    return await client
      .db('a')
      .collection('b')
      .findOne()
      .then(
        () => undefined,
        (error: unknown) => error,
      );
  } finally {
    await client.close();
  }
}

describe('only the user of the server can connect', () => {
  it('with the password, through the driver that services use', async () => {
    expect(await errorOf(server.url)).toBeUndefined();
    expect(await errorOf(`${server.url}/?authMechanism=SCRAM-SHA-256`)).toBeUndefined();
  });

  it('no command runs without a login (13)', async () => {
    expect(await errorOf(address)).toMatchObject({ code: 13, codeName: 'Unauthorized' });
  });

  it.each([
    ['a wrong password', (url: string) => url.replace(credentials.password, `${credentials.password}x`)],
    ['a wrong user', (url: string) => url.replace(credentials.user, 'root')],
    ['another mechanism', (url: string) => `${url}/?authMechanism=SCRAM-SHA-1`],
  ])('%s is refused', async (_what, change) => {
    expect(await errorOf(change(server.url))).toMatchObject({
      message: expect.stringMatching(/Authentication failed|Unsupported mechanism/),
    });
  });

  it.each([
    { find: 'b' },
    { insert: 'b', documents: [{ a: 1 }] },
    { aggregate: 'b', pipeline: [], cursor: {} },
    { getMore: 1, collection: 'b' },
    { killCursors: 'b', cursors: [] },
    { listIndexes: 'b' },
    { dropDatabase: 1 },
    { createIndexes: 'b', indexes: [] },
    { endSessions: [] },
  ])('%j is refused before a login', async (command) => {
    expect(await sendRaw(address, { ...command, $db: 'a' })).toMatchObject({ ok: 0, code: 13 });
  });

  it('a proof without a conversation, with another nonce or without the password is refused', async () => {
    const socket = await open(address);
    const send = async (command: Record<string, unknown>) => {
      const reply = readReply(socket);
      socket.write(message({ ...command, $db: 'admin' }));
      return reply;
    };
    const payload = (text: string) => new Binary(Buffer.from(text));
    const start = { saslStart: 1, mechanism: 'SCRAM-SHA-256', payload: payload(`n,,n=${credentials.user},r=abc`) };
    expect(await send({ saslContinue: 1, payload: payload('') })).toMatchObject({ code: 18 });
    expect(await send(start)).toMatchObject({ ok: 1, done: false });
    expect(await send({ saslContinue: 1, payload: payload('c=biws,r=abc,p=AAAA') })).toMatchObject({ code: 18 });
    const { payload: first } = await send(start);
    const nonce = /^r=([^,]+)/.exec(Buffer.from(first.value()).toString())![1];
    for (const proof of ['', 'AAAA', Buffer.alloc(32).toString('base64')])
      expect(await send({ saslContinue: 1, payload: payload(`c=biws,r=${nonce},p=${proof}`) })).toMatchObject({
        code: 18,
      });
    expect(await send({ find: 'b' })).toMatchObject({ code: 13 });
    socket.destroy();
  });

  it('a client that has not logged in cannot make the server hold a large message', async () => {
    const socket = await open(address);
    const reply = readReply(socket);
    socket.on('error', () => undefined);
    socket.write(message({ hello: 1, text: 'x'.repeat(20_000), $db: 'admin' }));
    await expect(reply).rejects.toThrow('closed');
  });
});

it('a request over HTTP, as from a web page, is cut off at once', async () => {
  for (const method of ['GET', 'POST']) {
    const sent = request(`http://${server.address}/`, { method });
    const outcome = new Promise((resolve) => sent.on('error', resolve).on('response', () => resolve('a response')));
    sent.end(method === 'POST' ? message({ dropDatabase: 1, $db: 'a' }) : undefined);
    expect(await outcome).toBeInstanceOf(Error);
  }
});
