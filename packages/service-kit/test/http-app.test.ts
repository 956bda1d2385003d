import { once } from 'node:events';
import { METHODS } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { AppError, INTERNAL_MESSAGE } from '@waymark/contract';
import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { checkQueryParameters, createHttpApp, createLogger, createMetrics, healthRoutes } from '../src/index.ts';

const lines: Record<string, unknown>[] = [];
const metrics = createMetrics('test');
let app: FastifyInstance;
let base: string;

beforeAll(async () => {
  const logger = createLogger(
    { service: 'test', level: 'info' },
    { write: (line: string) => void lines.push(JSON.parse(line)) },
  );
  app = createHttpApp({ logger, registry: metrics.registry });
  app.get('/things/:id', async ({ params }) => ({ params }));
  app.register(async (checked) => {
    checkQueryParameters(checked);
    const querystring = Type.Object({ x: Type.String() }, { additionalProperties: false });
    checked.get('/checked', { schema: { querystring } }, async ({ query }) => ({ query }));
  });
  app.post('/things', async (request) => ({ body: request.body ?? null }));
  app.delete('/things/:id', async (_request, reply) => reply.code(204).send());
  app.get('/boom', async () => {
    throw Object.assign(new Error('connect ECONNREFUSED 10.1.2.3:27017'), { document: { note: 'private' } });
  });
  app.get('/thrown-nothing', async () => Promise.reject(undefined));
  app.get('/down', async () => {
    throw new AppError('unavailable', 'A part is down.', { cause: new Error('10.1.2.3') });
  });
  app.get('/slow-down', async () => {
    throw new AppError('rate_limited', 'Too many requests.', { retryAfterSeconds: 12.3 });
  });
  app.get('/who', async () => {
    throw new AppError('unauthenticated', 'Missing or invalid API key.');
  });
  app.get('/plugin', async () => {
    throw Object.assign(new Error('upstream 10.1.2.3 said no'), { statusCode: 403 });
  });
  app.get('/hangs', { handlerTimeout: 50 }, () => new Promise(() => {}));
  await app.listen({ port: 0, host: '127.0.0.1' });
  base = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;
});
afterAll(() => app.close());

async function send(path: string, init: RequestInit = {}) {
  const response = await fetch(base + path, init);
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, json: text === '' ? null : JSON.parse(text) };
}
const post = (body: NonNullable<RequestInit['body']> | null, type: string | null = 'application/json') =>
  send('/things', { method: 'POST', body, headers: type === null ? {} : { 'content-type': type } });

/** Sends the bytes unchanged and returns the whole response. */
function sendRaw(bytes: string, timeoutMs = 5000): Promise<{ status: number; head: string; json: unknown }> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(base).port), '127.0.0.1', () => socket.write(bytes));
    let answer = '';
    socket.setTimeout(timeoutMs, () => socket.destroy(new Error('No answer')));
    socket.on('data', (data) => {
      answer += data;
    });
    socket.on('error', reject);
    socket.on('close', () => {
      const [head = '', body = ''] = answer.split('\r\n\r\n');
      resolve({ status: Number(head.split(' ')[1]), head, json: body === '' ? null : JSON.parse(body) });
    });
  });
}

function expectError(answer: { status: number; json: unknown }, status: number, message?: RegExp | string): void {
  expect(answer.json).toEqual({ error: expect.any(String) });
  expect(answer.status).toBe(status);
  if (message !== undefined) expect((answer.json as { error: string }).error).toMatch(message);
}

describe('docs/api.md, Errors: every error, whatever caused it, is JSON with exactly one field', () => {
  test('an unknown path gets 404, whatever its body', async () => {
    expectError(await send('/nowhere'), 404);
    expectError(
      await send('/nowhere', { method: 'POST', body: '{', headers: { 'content-type': 'application/json' } }),
      404,
    );
    expectError(await send('/nowhere', { method: 'PUT', body: 'x', headers: { 'content-type': 'text/plain' } }), 404);
  });

  test('a method that the path does not have gets 404', async () => {
    for (const method of METHODS.filter((one) => !['GET', 'HEAD', 'DELETE', 'CONNECT'].includes(one))) {
      const answer = await sendRaw(
        `${method} /things/1 HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`,
      );
      expectError(answer, 404);
      expect(answer.head).toMatch(/content-type: application\/json; charset=utf-8/i);
    }
  });

  test.each(['/things/%zz', '/things/%', '/%c0%ae'])('an invalid path gets 404: %s', async (path) => {
    const answer = await sendRaw(`GET ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`);
    expectError(answer, 404);
    expect(answer.head).toMatch(/x-request-id: /i);
  });

  test('malformed JSON and a wrong content type get 422 with a message on what to send', async () => {
    expectError(await post('{"a":'), 422, 'not valid JSON');
    expectError(await post('{"a":1}', 'text/plain'), 422, 'application/json');
    expectError(await post('a=1', 'application/x-www-form-urlencoded'), 422, 'application/json');
    expectError(await post('{}', 'nonsense'), 422, 'application/json');
    expectError(await post(new Uint8Array([0x7b, 0x7d]), null), 422, 'application/json');
    expectError(await post(new Uint8Array([0x22, 0xff, 0x22])), 422, 'UTF-8');
  });

  test('a compressed body gets 422 with a message on what to send, before it is parsed', async () => {
    const compressed = (coding: string, path = '/things', method = 'POST', body = gzipSync('{}')) =>
      send(path, { method, body, headers: { 'content-type': 'application/json', 'content-encoding': coding } });
    for (const coding of ['gzip', 'GZIP', 'br', 'zstd', 'gzip, identity', 'klingon'])
      expectError(await compressed(coding), 422, /^The body is compressed.*without "Content-Encoding"/);
    for (const coding of ['identity', ' Identity ', ''])
      expect((await compressed(coding, '/things', 'POST', Buffer.from('{"a":1}'))).json).toEqual({ body: { a: 1 } });
    expect((await compressed('gzip', '/things', 'POST', Buffer.alloc(0))).status).toBe(200);
    expect((await compressed('gzip', '/things/1', 'DELETE')).status).toBe(204);
    expectError(await compressed('gzip', '/nowhere'), 404);
  });

  test.each([
    ['POST', 'application/json', 200],
    ['POST', 'text/plain', 200],
    ['DELETE', 'application/json', 204],
    ['DELETE', 'text/plain', 204],
  ])('%s with the content type %s and neither body nor length gets %i at once', async (method, type, status) => {
    const answer = await sendRaw(
      `${method} /things${method === 'DELETE' ? '/1' : ''} HTTP/1.1\r\nHost: a\r\nContent-Type: ${type}\r\nConnection: close\r\n\r\n`,
    );
    expect(answer.status).toBe(status);
  });

  test('a body with __proto__ or constructor gets 422 and pollutes no prototype', async () => {
    expectError(await post('{"__proto__":{"polluted":1}}'), 422, '__proto__');
    expectError(await post('{"a":{"constructor":{"prototype":{"polluted":1}}}}'), 422, 'constructor');
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });

  test('a body over 64 KiB gets 413, also without Content-Length', async () => {
    expectError(await post(JSON.stringify('x'.repeat(64 * 1024))), 413, '64 KiB');
    expect((await post(JSON.stringify('x'.repeat(64 * 1024 - 2)))).status).toBe(200);
    const chunk = `4000\r\n${'x'.repeat(0x4000)}\r\n`;
    const head =
      'POST /things HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n';
    expectError(await sendRaw(head + chunk.repeat(5)), 413);
  });

  test('an unexpected error gets 500 without its message, and its cause is logged with the request id', async () => {
    const answer = await send('/boom');
    expectError(answer, 500);
    expect(answer.json.error).toBe(INTERNAL_MESSAGE);
    const line = lines.find((one) => one.request_id === answer.headers.get('x-request-id') && one.err);
    expect(line?.err).toMatchObject({ message: 'connect ECONNREFUSED 10.1.2.3:27017', stack: expect.any(String) });
    expect(JSON.stringify(line)).not.toContain('private');
    expectError(await send('/thrown-nothing'), 500);
  });

  test('the error of a plugin gets our message', async () => {
    const answer = await send('/plugin');
    expectError(answer, 403);
    expect(answer.text).not.toContain('10.1.2.3');
  });

  test('503 and 429 have Retry-After', async () => {
    const down = await send('/down');
    expectError(down, 503, 'A part is down.');
    expect(down.headers.get('retry-after')).toBe('1');
    const slow = await send('/slow-down');
    expectError(slow, 429);
    expect(slow.headers.get('retry-after')).toBe('13');
  });

  test('a handler that exceeds its time gets 503', async () => {
    const answer = await send('/hangs');
    expectError(answer, 503);
    expect(answer.headers.get('retry-after')).toBe('1');
  });

  test('401 has WWW-Authenticate with the scheme', async () => {
    const answer = await send('/who');
    expectError(answer, 401);
    expect(answer.headers.get('www-authenticate')).toBe('Bearer');
  });

  test.each([
    ['no HTTP at all', 'hello\r\n\r\n', 400],
    ['two lengths', 'POST /things HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab', 400],
    [
      'a length and chunks',
      'POST /things HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      400,
    ],
    ['headers too large', `GET /things/1 HTTP/1.1\r\nHost: a\r\nX-Long: ${'x'.repeat(20_000)}\r\n\r\n`, 431],
    ['no Host', 'GET /things/1 HTTP/1.1\r\nConnection: close\r\n\r\n', 400],
    ['two Hosts', 'GET /things/1 HTTP/1.1\r\nHost: a\r\nhOST: a\r\nConnection: close\r\n\r\n', 400],
    ['two Hosts of HTTP/1.0', 'GET /things/1 HTTP/1.0\r\nHost: a\r\nHost: b\r\n\r\n', 400],
    [
      'an unknown expectation',
      'POST /things HTTP/1.1\r\nHost: a\r\nExpect: the worst\r\nContent-Length: 0\r\n\r\n',
      417,
    ],
    [
      'a version that no route has',
      'GET /nowhere HTTP/1.1\r\nHost: a\r\nAccept-Version: x\r\nConnection: close\r\n\r\n',
      404,
    ],
    ['a method that Fastify does not know', 'PRI *!HTTP/2.0\r\n\r\n', 404],
    ['an absolute target', 'GET http://elsewhere/nowhere HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n', 404],
    ['the target *', 'OPTIONS * HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n', 404],
  ])('a refusal of Node or Fastify has the usual shape: %s', async (_name, bytes, status) => {
    const answer = await sendRaw(bytes);
    expectError(answer, status);
    expect(answer.head).toMatch(/content-type: application\/json; charset=utf-8/i);
    expect(answer.head).toMatch(/x-request-id: /i);
  });
});

describe('docs/api.md, Hostile input: hostile input never makes a request outlive 5 seconds', () => {
  test.each([
    ['headers', 'GET /things/1 HTTP/1.1\r\nHost: a\r\nX-Slow: '],
    ['body', 'POST /things HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{'],
  ])('%s that never end get a response', async (_what, bytes) => {
    expectError(await sendRaw(bytes, 6000), 408);
  });
});

test('bytes after a request do not damage its response', async () => {
  const answer = await sendRaw('GET /things/1 HTTP/1.1\r\nHost: a\r\n\r\nnonsense\r\n\r\n');
  expect([200, 400]).toContain(answer.status);
});

describe('docs/api.md, Errors: every response carries X-Request-Id', () => {
  test('is the client’s own if that is valid, in the response and in every log line', async () => {
    const sent = 'trace_1.2-ABC';
    const answer = await send('/boom', { headers: { 'x-request-id': sent } });
    expect(answer.headers.get('x-request-id')).toBe(sent);
    expect(lines.filter((line) => line.request_id === sent)).toHaveLength(2);
  });

  test.each(['', ' ', 'a b', 'ä', 'x'.repeat(129), '"', 'a, b'])('is a new one instead of %j', async (sent) => {
    const id = (await send('/things/1', { headers: { 'x-request-id': sent } })).headers.get('x-request-id');
    expect(id).toMatch(/^[0-9a-f-]{36}$/);
  });

  test('differs between requests', async () => {
    const ids = await Promise.all(
      Array.from({ length: 20 }, async () => (await send('/things/1')).headers.get('x-request-id')),
    );
    expect(new Set(ids).size).toBe(20);
  });
});

test('a slash at the end of a path is ignored', async () => {
  expect((await send('/things/1/')).json).toEqual((await send('/things/1')).json);
  expect((await send('/things/1/?q=1')).json).toEqual((await send('/things/1?q=1')).json);
  expect(
    (await send('/things/', { method: 'POST', body: '{}', headers: { 'content-type': 'application/json' } })).json,
  ).toEqual({ body: {} });
  expectError(await send('/things/1//'), 404);
  expectError(await send('/nowhere/'), 404);
});

test('docs/api.md, Requests: HEAD works where GET does', async () => {
  const get = await send('/things/1');
  const head = await send('/things/1', { method: 'HEAD' });
  expect(head.status).toBe(200);
  expect(head.text).toBe('');
  expect(head.headers.get('content-length')).toBe(get.headers.get('content-length'));
  expect((await send('/who', { method: 'HEAD' })).status).toBe(401);
});

test('responses are JSON in UTF-8', async () => {
  const answer = await send('/things/%C3%A4?q=1&q=2&x=a+b');
  expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
  expect(answer.json).toEqual({ params: { id: 'ä' } });
});

test('a parameter in a path may be as long as the headers, and may be an encoded URL', async () => {
  for (const id of ['https://go.example/%53ale?a=b&c=d/#e', 'x'.repeat(15_000), 'ä'.repeat(2_500)])
    expect((await send(`/things/${encodeURIComponent(id)}`)).json).toEqual({ params: { id } });
});

test('docs/api.md, Requests: a path that has query parameters decodes them, and refuses unknown and repeated ones', async () => {
  expect((await send('/checked?x=a+%C3%A4')).json).toEqual({ query: { x: 'a ä' } });
  for (const query of ['?x=1&x=2', '?x=1&y=2']) expectError(await send(`/checked${query}`), 422);
});

test.each(['application/json', 'application/x-www-form-urlencoded', 'text/plain', 'application/octet-stream'])(
  'an empty body of the content type %s counts as no body',
  async (type) => {
    expect(await post('', type)).toMatchObject({ status: 200, json: { body: null } });
    expect((await send('/things/1', { method: 'DELETE', body: '', headers: { 'content-type': type } })).status).toBe(
      204,
    );
  },
);

test('an empty body that comes in chunks counts as no body', async () => {
  const head = 'POST /things HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Type: application/json\r\n';
  const answer = await sendRaw(`${head}Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n`);
  expect([answer.status, answer.json]).toEqual([200, { body: null }]);
});

test('the body of a DELETE is ignored', async () => {
  for (const [body, type] of [
    ['{', 'application/json'],
    ['', 'application/json'],
    ['x', 'text/plain'],
  ] as const) {
    expect((await send('/things/1', { method: 'DELETE', body, headers: { 'content-type': type } })).status).toBe(204);
  }
});

test('each request is logged and measured once, without its query string', async () => {
  const answer = await send('/things/7?q=private', { headers: { 'x-request-id': 'one-line' } });
  expect(answer.status).toBe(200);
  const mine = lines.filter((line) => line.request_id === 'one-line');
  expect(mine).toHaveLength(1);
  expect(mine[0]).toMatchObject({
    method: 'GET',
    path: '/things/7',
    route: '/things/:id',
    status: 200,
    msg: 'request',
  });
  expect(JSON.stringify(mine)).not.toContain('private');
  expect(await metrics.registry.metrics()).toMatch(
    /http_request_duration_seconds_count\{service="test",method="GET",route="\/things\/:id",status="200"\} \d+/,
  );
});

test('docs/operations.md, Logs: redirects are logged at debug and measured', async () => {
  for (const [level, expected] of [
    ['info', []],
    ['debug', [{ level: 'debug', path: '/old', status: 302 }]],
  ] as const) {
    const written: Record<string, unknown>[] = [];
    const own = createMetrics('test');
    const moving = createHttpApp({
      logger: createLogger({ service: 'test', level }, { write: (line) => void written.push(JSON.parse(line)) }),
      registry: own.registry,
    });
    moving.get('/old', (_request, reply) => reply.redirect('/new'));
    expect((await moving.inject('/old')).statusCode).toBe(302);
    expect(written.filter(({ msg }) => msg === 'request')).toMatchObject(expected);
    expect(await own.registry.metrics()).toContain('route="/old",status="302"} 1');
    await moving.close();
  }
});

test('requests that run when the server closes get their response', async () => {
  const closing = createHttpApp({ logger: createLogger({ service: 'test', level: 'silent' }) });
  closing.get('/slow', async () => {
    await new Promise((resolve) => setTimeout(resolve, 200));
    return { done: true };
  });
  await closing.listen({ port: 0, host: '127.0.0.1' });
  const url = `http://127.0.0.1:${(closing.server.address() as AddressInfo).port}/slow`;
  const answer = fetch(url);
  await new Promise((resolve) => setTimeout(resolve, 50));
  const closed = closing.close();
  expect((await answer).status).toBe(200);
  await closed;
  await expect(fetch(url)).rejects.toThrow();
});

test('requests that have arrived on idle connections when the server closes get their response', async () => {
  const closing = createHttpApp({ logger: createLogger({ service: 'test', level: 'silent' }) });
  closing.get('/', async () => ({ done: true }));
  await closing.listen({ port: 0, host: '127.0.0.1' });
  const { port } = closing.server.address() as AddressInfo;
  const sockets = await Promise.all(
    Array.from({ length: 20 }, async () => {
      const socket = connect(port, '127.0.0.1', () => socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n'));
      await once(socket, 'data');
      return socket;
    }),
  );
  for (const socket of sockets) socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
  const [answers] = await Promise.all([Promise.all(sockets.map((socket) => text(socket))), closing.close()]);
  for (const answer of answers) expect(answer).toMatch(/^HTTP\/1.1 200 OK\r\n.*connection: close\r\n/is);
});

describe('health routes', () => {
  test('/livez checks no dependency, /readyz names what is not ready, and /startupz stays 200 after the first success', async () => {
    let up = false;
    let asked = 0;
    const sick = createHttpApp({ logger: createLogger({ service: 'test', level: 'silent' }) });
    const health = healthRoutes(sick, {
      mongodb: async () => {
        asked++;
        if (!up) throw new Error('connect ECONNREFUSED 10.1.2.3:27017');
      },
      links: async () => {},
    });
    expect((await sick.inject('/livez')).statusCode).toBe(200);
    expect((await sick.inject('/healthz')).statusCode).toBe(200);
    expect(asked).toBe(0);
    const down = await sick.inject('/readyz');
    expect([down.statusCode, down.json()]).toEqual([503, { error: 'Not ready: mongodb.' }]);
    expect(down.headers['retry-after']).toBe('1');
    const notStarted = await sick.inject('/startupz');
    expect([notStarted.statusCode, notStarted.json()]).toEqual([503, { error: 'Not started: not ready yet.' }]);
    up = true;
    await new Promise((resolve) => setTimeout(resolve, 1010));
    const ready = await sick.inject('/readyz');
    expect([ready.statusCode, ready.json()]).toEqual([
      200,
      { status: 'ready', checks: { mongodb: 'ok', links: 'ok' } },
    ]);
    up = false;
    await new Promise((resolve) => setTimeout(resolve, 1010));
    expect((await sick.inject('/readyz')).statusCode).toBe(503);
    const started = await sick.inject('/startupz');
    expect([started.statusCode, started.json()]).toEqual([200, { status: 'started' }]);
    health.setNotReady();
    const stopping = await sick.inject('/readyz');
    expect([stopping.statusCode, stopping.json()]).toEqual([503, { error: 'Not ready: shutting down.' }]);
    expect((await sick.inject('/startupz')).json()).toEqual({ error: 'Not started: shutting down.' });
    expect((await sick.inject('/livez')).statusCode).toBe(200);
    await sick.close();
  });
});
