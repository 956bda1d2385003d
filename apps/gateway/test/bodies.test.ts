import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Received } from './fake-service.ts';
import { errorOf, startGateway, type TestGateway } from './gateway.ts';

let gateway: TestGateway;
let key: string;
beforeAll(async () => {
  gateway = await startGateway();
  key = gateway.accounts.addKey({ username: 'ada' });
});
afterAll(() => gateway.close());

const KIB = 1024;
function post(path: string, body: string | ReadableStream, headers: Record<string, string> = {}): Promise<Response> {
  const init = { method: 'POST', body, duplex: 'half', headers: { authorization: `Bearer ${key}`, ...headers } };
  return fetch(gateway.url + path, init as RequestInit);
}
function chunked(length: number): ReadableStream {
  let left = length;
  return new ReadableStream({
    pull(controller) {
      const size = Math.min(left, 4096);
      left -= size;
      if (size === 0) controller.close();
      else controller.enqueue(new Uint8Array(size).fill(120));
    },
  });
}

test.each([
  ['/api/v1/links', 64],
  ['/mcp', 256],
  ['/abc', 64],
])('%s responds with 413 to a body over %i KiB, with and without Content-Length', async (path, limit) => {
  const over = limit * KIB + 1;
  for (const body of ['x'.repeat(over), chunked(over)]) {
    const response = await post(path, body);
    expect(response.status).toBe(413);
    expect(await errorOf(response)).toBe(`The body is over ${limit} KiB; send a smaller one.`);
  }
  for (const body of ['x'.repeat(limit * KIB), chunked(limit * KIB)]) {
    const received = (await (await post(path, body)).json()) as Received;
    expect(received.body.length).toBe(limit * KIB);
    expect(received.headers['content-length']).toBe(String(limit * KIB));
    expect(received.headers['transfer-encoding']).toBeUndefined();
  }
});

test.each([
  ['413: a body over 64 KiB', 413, () => key],
  ['401: an invalid key', 401, () => 'none'],
])(
  '%s gets its response at once, and the rest of the body is read so that the client can read the response',
  async (_what, status, keyOf) => {
    const socket = connect(gateway.port, '127.0.0.1');
    let answer = '';
    let failure: Error | undefined;
    socket.on('data', (data) => {
      answer += data.toString('latin1');
    });
    socket.on('error', (error) => {
      failure = error;
    });
    const closed = new Promise((resolve) => socket.once('close', resolve));
    const chunk = `${(16 * KIB).toString(16)}\r\n${'x'.repeat(16 * KIB)}\r\n`;
    socket.write(
      `POST /api/v1/links HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${keyOf()}\r\nTransfer-Encoding: chunked\r\n\r\n`,
    );
    for (let sent = 0; sent < 16; sent += 1) {
      socket.write(chunk);
      if (sent > 6) await sleep(20);
    }
    expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} .*\\r\\n\\r\\n{"error":"[^"]+.*"}$`, 's'));
    socket.write('0\r\n\r\n');
    await closed;
    expect(failure).toBeUndefined();
    expect(answer).toMatch(/\r\nconnection: close\r\n/i);
    expect(answer.match(/HTTP\/1\.1/g)).toHaveLength(1);
  },
);

test('an endless body that was refused is cut off', async () => {
  const socket = connect(gateway.port, '127.0.0.1');
  socket.on('error', () => {}).resume();
  const closed = new Promise((resolve) => socket.once('close', resolve));
  socket.write('POST /abc HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n');
  const chunk = `${(64 * KIB).toString(16)}\r\n${'x'.repeat(64 * KIB)}\r\n`;
  let sentBytes = 0;
  while (!socket.destroyed && sentBytes < 256 * KIB * KIB) {
    if (!socket.write(chunk)) await Promise.race([new Promise((resolve) => socket.once('drain', resolve)), closed]);
    sentBytes += chunk.length;
  }
  await closed;
  expect(sentBytes).toBeLessThan(64 * KIB * KIB);
});

test('a body over the limit does not reach a service', async () => {
  gateway.links.received.length = 0;
  await post('/api/v1/links', chunked(80 * KIB));
  expect(gateway.links.received).toHaveLength(0);
});

test('a body is forwarded unchanged with its content type', async () => {
  for (const [type, body] of [
    ['application/json', '{"a":  1, "a": 2, "__proto__": {}}'],
    ['application/json; charset=utf-16', '{ not json'],
    ['text/plain', 'Grüße 中'],
  ] as const) {
    const received = (await (await post('/api/v1/links', body, { 'content-type': type })).json()) as Received;
    expect([received.body, received.headers['content-type']]).toEqual([body, type]);
  }
});

test('a request without a body is forwarded without one', async () => {
  const response = await fetch(`${gateway.url}/api/v1/links`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
  });
  expect(((await response.json()) as Received).body).toBe('');
  const deleted = await fetch(`${gateway.url}/api/v1/links/1`, {
    method: 'DELETE',
    headers: { authorization: `Bearer ${key}` },
  });
  expect((await deleted.json()) as Received).toMatchObject({ method: 'DELETE', url: '/api/v1/links/1', body: '' });
});

test.each(['nonsense', '', 'text/plain'])('the body of a DELETE is ignored, whatever its type: %j', async (type) => {
  const response = await fetch(`${gateway.url}/api/v1/links/1`, {
    method: 'DELETE',
    body: 'x',
    headers: { authorization: `Bearer ${key}`, 'content-type': type },
  });
  expect(response.status).toBe(200);
});

test('a client that sends its body too slowly gets a response', async () => {
  gateway.links.received.length = 0;
  const status = await new Promise<number | undefined>((resolve, reject) => {
    const headers = { authorization: `Bearer ${key}`, 'content-length': '1000', 'content-type': 'application/json' };
    const request = httpRequest(`${gateway.url}/api/v1/links`, { method: 'POST', headers }, (response) => {
      clearInterval(trickle);
      response.resume();
      resolve(response.statusCode);
    });
    request.on('error', reject);
    const trickle = setInterval(() => request.write('{'), 200);
  });
  expect(status).toBe(422);
  expect(gateway.links.received).toHaveLength(0);
});
