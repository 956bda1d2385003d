import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { allowSlowBody, bodyPieces, createHttpApp, createLogger } from '../src/index.ts';

const WAIT = { timeout: 30_000 };
// Large bodies may take minutes, but their clients have to send them.

const KIB = 1024;
const MIB = KIB * KIB;

let app: FastifyInstance;
let port: number;
let client: Socket;
let answer: string;
let received: number;
let readMore: Promise<void>;
beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'setTimeout', 'clearTimeout', 'performance'] });
  received = 0;
  answer = '';
  readMore = Promise.resolve();
  app = createHttpApp({ logger: createLogger({ service: 'test', level: 'silent' }), bodyLimitBytes: MIB });
  app.addContentTypeParser('*', async () => undefined);
  app.post('/file', { onRequest: async ({ raw }) => allowSlowBody(raw) }, async ({ raw }) => {
    for await (const piece of bodyPieces(raw, MIB)) {
      received += piece.length;
      await readMore;
    }
    return { received };
  });
  await app.listen({ port: 0, host: '127.0.0.1' });
  port = (app.server.address() as AddressInfo).port;
  client = connect(port, '127.0.0.1');
  client.on('data', (piece) => {
    answer += piece;
  });
});
afterEach(async () => {
  vi.useRealTimers();
  client.destroy();
  await app.close();
});

const head = (bytes: number) =>
  `POST /file HTTP/1.1\r\nHost: a\r\nContent-Type: text/csv\r\nContent-Length: ${bytes}\r\n\r\n`;
/** Lets the connection transfer data, in real time. */
const settle = () => new Promise<void>((resolve) => setImmediate(() => setImmediate(resolve)));
async function pass(seconds: number): Promise<void> {
  for (let i = 0; i < seconds; i++) {
    vi.advanceTimersByTime(1_000);
    await settle();
  }
}
async function sendEachSecond(bytes: number, seconds: number): Promise<void> {
  for (let i = 0; i < seconds && answer === ''; i++) {
    const before = received;
    client.write('x'.repeat(bytes));
    await vi.waitFor(() => expect(received).toBe(before + bytes), { timeout: 10_000 });
    await pass(1);
  }
}

test('a client that sends a large body at 5 KiB a second has its five minutes', async () => {
  client.write(head(500 * KIB));
  await sendEachSecond(5 * KIB, 100);
  await vi.waitFor(() => expect(answer).toContain(`{"received":${500 * KIB}}`), WAIT);
});

test.each([
  ['nothing', 0],
  ['one byte a second', 1],
  ['2 KiB a second', 2 * KIB],
])('a client that sends %s gets 408', async (_speed, bytes) => {
  client.write(head(500 * KIB));
  await once(app.server, 'request');
  await sendEachSecond(bytes, 40);
  await vi.waitFor(() => expect(answer).toContain('408 Request Timeout'), WAIT);
  expect(received).toBeLessThan(50 * KIB);
});

test('a client that the service stops has as long as the service takes', async () => {
  let goOn = () => {};
  readMore = new Promise((resolve) => {
    goOn = resolve;
  });
  client.write(head(500 * KIB));
  client.write('x'.repeat(500 * KIB));
  await vi.waitFor(() => expect(received).toBeGreaterThan(0), WAIT);
  await pass(60);
  expect(answer).toBe('');
  goOn();
  await vi.waitFor(() => expect(answer).toContain(`{"received":${500 * KIB}}`), WAIT);
});
