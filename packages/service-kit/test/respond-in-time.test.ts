import { PassThrough } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createHttpApp, createLogger, respondInTime, TIME_LEFT_HEADER, timeLeftMs } from '../src/index.ts';

let app: FastifyInstance;
let origin: string;
let stream: PassThrough;
beforeEach(async () => {
  stream = new PassThrough();
  app = createHttpApp({ logger: createLogger({ service: 'test', level: 'silent' }) });
  respondInTime(app);
  app.get('/left', async () => ({ leftMs: timeLeftMs(-1) }));
  app.post('/left', async () => ({ leftMs: timeLeftMs(-1) }));
  app.get('/hangs', () => new Promise(() => {}));
  app.get('/long', async (_request, reply) => reply.send(stream));
  origin = await app.listen({ port: 0, host: '127.0.0.1' });
});
afterEach(() => app.close());

const within = (leftMs: string) => ({ headers: { [TIME_LEFT_HEADER]: leftMs } });
const leftMs = async (init?: RequestInit) =>
  ((await (await fetch(`${origin}/left`, init)).json()) as { leftMs: number }).leftMs;

test('a request has the time that the gateway says, and at most what the contract allows', async () => {
  expect(await leftMs(within('1500'))).toBeLessThanOrEqual(1_500);
  for (const init of [undefined, within('999999'), within('-1'), within('soon'), within('')]) {
    const left = await leftMs(init);
    expect(left).toBeGreaterThan(0);
    expect(left).toBeLessThan(5_000);
  }
  const body = {
    method: 'POST',
    body: '{}',
    headers: { 'content-type': 'application/json', [TIME_LEFT_HEADER]: '900' },
  };
  expect(await leftMs(body)).toBeLessThanOrEqual(900);
});

test('a request that takes longer gets 503 with Retry-After', async () => {
  const response = await fetch(`${origin}/hangs`, within('200'));
  expect([response.status, Number(response.headers.get('retry-after')) > 0]).toEqual([503, true]);
});

test('a response that has begun takes the time that its client needs', async () => {
  stream.write('begun, ');
  const response = await fetch(`${origin}/long`, within('200'));
  // Its time is over when that of a later request is.
  const hangs = await fetch(`${origin}/hangs`, within('400'));
  expect(hangs.status).toBe(503);
  stream.end('ended');
  expect(await response.text()).toBe('begun, ended');
});
