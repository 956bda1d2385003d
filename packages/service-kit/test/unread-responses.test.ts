import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { Registry } from 'prom-client';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createHttpApp, createLogger, queryOf } from '../src/index.ts';

/** Generous, because the machine may be busy. */
const WAIT = { timeout: 10_000 };

const KIB = 1024;
const MIB = KIB * KIB;
/** More bytes than the buffers of both ends of a connection hold. */
const LARGE = 24 * MIB;

let app: FastifyInstance;
let registry: Registry;
let served: string[];
let port: number;
const clients: Client[] = [];

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] });
  served = [];
  registry = new Registry();
  app = createHttpApp({ logger: createLogger({ service: 'test', level: 'silent' }), registry });
  app.get<{ Params: { bytes: string } }>('/bytes/:bytes', async ({ params, url }, reply) => {
    served.push(new URLSearchParams(queryOf(url)).get('n') ?? '');
    return reply.type('application/octet-stream').send(Buffer.alloc(Number(params.bytes), 'x'));
  });
  app.get('/stream', async (_request, reply) => {
    const chunks = Array.from({ length: LARGE / (64 * KIB) }, () => Buffer.alloc(64 * KIB, 'x'));
    return reply.type('application/octet-stream').send(Readable.from(chunks, { objectMode: false }));
  });
  app.get('/hangs', () => new Promise(() => {}));
  await app.listen({ port: 0, host: '127.0.0.1' });
  port = (app.server.address() as AddressInfo).port;
});
afterEach(async () => {
  vi.useRealTimers();
  for (const { socket } of clients.splice(0)) socket.destroy();
  await app.close();
});

/** A client that reads only when a test calls `read` or `readTo`. */
class Client {
  readonly socket: Socket;
  receivedBytes = 0;
  isCut = false;

  private constructor() {
    this.socket = connect(port, '127.0.0.1');
    this.socket.pause();
    this.socket.on('error', () => {
      this.isCut = true;
    });
    clients.push(this);
  }

  static async open(): Promise<Client> {
    const client = new Client();
    await once(client.socket, 'connect');
    return client;
  }

  send(...paths: string[]): void {
    this.socket.write(paths.map((path) => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`).join(''));
  }

  /** Reads the bytes that have arrived, about `bytes` at most. */
  read(bytes: number): void {
    for (let left = bytes; left > 0; ) {
      const chunk: Buffer | null = this.socket.read(Math.min(left, this.socket.readableLength)) ?? this.socket.read();
      if (chunk === null) return;
      left -= chunk.length;
      this.receivedBytes += chunk.length;
    }
  }

  /** Reads about `bytes` at most, once some have arrived: on a busy machine, they come later than the server's clock says. */
  async readArriving(bytes: number): Promise<void> {
    const before = this.receivedBytes;
    while (this.receivedBytes === before && !this.isCut) {
      this.read(bytes);
      await delay(1);
    }
  }

  /** Reads until the client has received `bytes` in total. */
  async readTo(bytes: number): Promise<void> {
    await vi.waitFor(
      () => {
        this.read(LARGE);
        expect(this.receivedBytes).toBeGreaterThanOrEqual(bytes);
      },
      { timeout: 15_000, interval: 2 },
    );
  }
}

const expectAnswers = async () => {
  const response = await fetch(`http://127.0.0.1:${port}/bytes/10`);
  expect([response.status, (await response.text()).length]).toEqual([200, 10]);
};
const unsentBytes = async () => (await registry.getSingleMetric('http_unsent_bytes')!.get()).values[0]!.value;
async function cuts(): Promise<Record<string, number>> {
  const { values } = await registry.getSingleMetric('http_connections_cut_total')!.get();
  return Object.fromEntries(values.filter(({ value }) => value > 0).map(({ labels, value }) => [labels.reason, value]));
}
/** Advances the server's clock and lets the connections transfer data. */
async function pass(timeMs: number): Promise<void> {
  vi.advanceTimersByTime(timeMs);
  await delay(2);
}

test('requests of one connection are served one after another, each after the earlier responses have left', async () => {
  const client = await Client.open();
  client.send(...['1', '2', '3'].map((n) => `/bytes/${LARGE}?n=${n}`));
  await vi.waitFor(() => expect(served).toEqual(['1']), WAIT);
  for (let i = 0; i < 20; i++) await expectAnswers();
  expect(served.filter((n) => n !== '')).toEqual(['1']);
  expect(await unsentBytes()).toBeLessThan(2 * LARGE);
  await client.readTo(3 * LARGE);
  expect(served.filter((n) => n !== '')).toEqual(['1', '2', '3']);
});

test('only a connection on which too many requests wait is cut', async () => {
  const [flooding, waiting] = [await Client.open(), await Client.open()];
  waiting.send('/hangs', ...Array(50).fill('/bytes/1'));
  flooding.send('/hangs', ...Array(500).fill('/bytes/1'));
  await once(flooding.socket.resume(), 'close');
  expect(served).toEqual([]);
  await expectAnswers();
  expect(waiting.socket.destroyed).toBe(false);
  expect(await cuts()).toEqual({ pipelined: 1 });
});

test('a connection of which nothing leaves is cut, but not one that progresses, streams or is idle', async () => {
  expect(app.server.timeout).toBe(30_000);
  app.server.timeout = 3_000;
  const [stuck, slow, streaming, idle] = await Promise.all(Array.from({ length: 4 }, () => Client.open()));
  idle!.send('/bytes/10');
  await idle!.readTo(10);
  stuck!.send(`/bytes/${LARGE}`);
  slow!.send(`/bytes/${LARGE}`);
  streaming!.send('/stream');
  await vi.waitFor(async () => expect(await unsentBytes()).toBeGreaterThan(LARGE), WAIT);
  while (Object.keys(await cuts()).length === 0) {
    slow!.read(32 * KIB);
    streaming!.read(32 * KIB);
    await delay(10);
  }
  expect(await cuts()).toEqual({ stalled: 1 });
  await expectAnswers();
  await slow!.readTo(LARGE);
  await streaming!.readTo(LARGE);
  idle!.send('/bytes/10');
  const before = idle!.receivedBytes;
  await idle!.readTo(before + 10);
  await once(stuck!.socket.resume(), 'close');
});

test('a response must have left after two minutes, even if it makes slow progress, but a stream may last longer', async () => {
  const [trickling, streaming] = [await Client.open(), await Client.open()];
  trickling.send(`/bytes/${LARGE}`);
  streaming.send('/stream');
  await vi.waitFor(async () => expect(await unsentBytes()).toBeGreaterThan(MIB), WAIT);
  for (let i = 0; i < 150; i++) {
    await pass(1_000);
    trickling.read(128 * KIB);
    await streaming.readArriving(128 * KIB);
  }
  expect(await cuts()).toEqual({ slow: 1 });
  expect(streaming.receivedBytes).toBeLessThan(LARGE);
  await streaming.readTo(LARGE);
});

test('a client that reads a stream below 4 KiB a second is cut, and one above it is not', async () => {
  const [trickling, slow] = [await Client.open(), await Client.open()];
  for (const client of [trickling, slow]) client.send('/stream');
  await vi.waitFor(async () => expect(await unsentBytes()).toBeGreaterThan(64 * KIB), WAIT);
  for (let seconds = 0; seconds < 100 && (await cuts()).slow === undefined; seconds++) {
    await pass(1_000);
    trickling.read(1);
    await slow.readArriving(64 * KIB);
  }
  expect(await cuts()).toEqual({ slow: 1 });
  await slow.readTo(LARGE);
  await once(trickling.socket.resume(), 'close');
});

test('unread responses stay within a budget: the worst connections are cut, and others are served', async () => {
  const unread = await Promise.all(Array.from({ length: 16 }, () => Client.open()));
  for (const client of unread) client.send(`/bytes/${LARGE}`);
  await vi.waitFor(() => expect(served).toHaveLength(16), WAIT);
  const reading = await Client.open();
  reading.send(`/bytes/${LARGE}`);
  await reading.readTo(LARGE);
  for (let i = 0; i < 12; i++) await pass(250);
  await vi.waitFor(async () => expect(await unsentBytes()).toBeLessThanOrEqual(64 * MIB), WAIT);
  await expectAnswers();
  const { budget, ...others } = await cuts();
  expect(others).toEqual({});
  expect(budget).toBeGreaterThan(10);
  expect(budget).toBeLessThan(16);
});

test('a response that the client reads while the server closes arrives completely', async () => {
  const client = await Client.open();
  client.send(`/bytes/${LARGE}`);
  await vi.waitFor(async () => expect(await unsentBytes()).toBeGreaterThan(MIB), WAIT);
  let isClosed = false;
  const closing = app.close().then(() => {
    isClosed = true;
  });
  await pass(1_000);
  await client.readTo(LARGE);
  expect(client.isCut).toBe(false);
  while (!isClosed) await pass(100);
  await closing;
});

test.each([
  ['no byte', ''],
  ['a part of a request', 'GET /bytes/10 HTTP/1.1\r\n'],
  ['a part of a second request', 'GET /bytes/10 HTTP/1.1\r\nHost: a\r\n\r\nGET /'],
])('a client that sends %s does not keep the server from closing', async (_, bytes) => {
  const client = await Client.open();
  client.socket.write(bytes);
  await delay(50);
  let isClosed = false;
  const closing = app.close().then(() => {
    isClosed = true;
  });
  for (let i = 0; i < 60 && !isClosed; i++) await pass(100);
  expect(isClosed).toBe(true);
  await closing;
});

test('a client that does not read does not keep the server from closing', async () => {
  const client = await Client.open();
  client.send(`/bytes/${LARGE}`);
  await vi.waitFor(async () => expect(await unsentBytes()).toBeGreaterThan(MIB), WAIT);
  let isClosed = false;
  const closing = app.close().then(() => {
    isClosed = true;
  });
  while (!isClosed) await pass(1_000);
  await closing;
});
