import { type AddressInfo, connect } from 'node:net';
import { AppError, UNAVAILABLE_MESSAGE } from '@waymark/contract';
import type { RedirectHeaders, Visit } from '@waymark/proto';
import type { FastifyInstance } from 'fastify';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { answerVisitsFirst, createHttpApp, createLogger, createMetrics } from '../src/index.ts';

// Contract section 5: a redirect that is answered before Fastify sees it is what Fastify's own would be.

const lines: Record<string, unknown>[] = [];
const visits: Visit[] = [];
let lead: (visit: Visit) => Promise<RedirectHeaders | null> | null;
let metrics: ReturnType<typeof createMetrics>;
let app: FastifyInstance;
let base: string;

beforeEach(async () => {
  visits.length = 0;
  lead = async () => ({ location: 'https://example.com/', 'cache-control': 'no-store' });
  metrics = createMetrics('test');
  const logger = createLogger(
    { service: 'test', level: 'info' },
    { write: (line: string) => void lines.push(JSON.parse(line)) },
  );
  app = createHttpApp({ logger, registry: metrics.registry });
  answerVisitsFirst(app, (visit) => {
    visits.push(visit);
    return lead(visit);
  });
  app.route({
    method: ['GET', 'HEAD', 'POST'],
    url: '/:slug',
    handler: async ({ params }, reply) => reply.code(200).send({ fastify: params }),
  });
  await app.listen({ port: 0, host: '127.0.0.1' });
  base = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;
  lines.length = 0;
});
afterEach(() => app.close());

const follow = (path: string, init: RequestInit = {}) => fetch(base + path, { redirect: 'manual', ...init });

/** Sends bytes as they are; the whole answer. */
function sendRaw(bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(base).port), '127.0.0.1', () => socket.write(bytes));
    let answer = '';
    socket.on('data', (data) => {
      answer += data;
    });
    socket.on('error', reject);
    socket.on('close', () => resolve(answer));
  });
}

test('a visit is led on, with its request id, its log line and its observation', async () => {
  const headers = { 'x-request-id': 'id-1', 'user-agent': 'Mozilla/5.0', referer: 'https://a.example/' };
  const answer = await follow('/Summer-Sale?utm_source=x&b=%E4', {
    headers: { ...headers, 'sec-purpose': 'prefetch' },
  });
  expect(answer.status).toBe(302);
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    location: 'https://example.com/',
    'cache-control': 'no-store',
    'content-length': '0',
    'x-request-id': 'id-1',
    connection: 'keep-alive',
  });
  expect(visits).toEqual([
    {
      requestId: 'id-1',
      method: 'GET',
      slug: 'Summer-Sale',
      query: 'utm_source=x&b=%E4',
      headers: { 'user-agent': 'Mozilla/5.0', referer: 'https://a.example/', 'sec-purpose': 'prefetch' },
    },
  ]);
  expect(lines).toMatchObject([
    { level: 'info', request_id: 'id-1', method: 'GET', path: '/Summer-Sale', route: '/:slug', status: 302 },
  ]);
  expect(JSON.stringify(lines)).not.toContain('utm_source');
  expect(await metrics.registry.metrics()).toMatch(
    /http_request_duration_seconds_count\{[^}]*route="\/:slug",status="302"[^}]*\} 1\n/,
  );
});

test('HEAD is led as GET is', async () => {
  expect((await follow('/abc', { method: 'HEAD' })).status).toBe(302);
  expect(visits).toMatchObject([{ method: 'HEAD' }]);
});

test.each<[string, typeof lead]>([
  ['at once', () => null],
  ['later', async () => null],
])('what is not led is Fastify’s, and logged once, said %s', async (_when, nothing) => {
  lead = nothing;
  const answer = await follow('/abc', { headers: { 'x-request-id': 'id-1' } });
  expect(await answer.json()).toEqual({ fastify: { slug: 'abc' } });
  expect(answer.headers.get('x-request-id')).toBe('id-1');
  await vi.waitFor(() => expect(lines).toMatchObject([{ request_id: 'id-1', status: 200 }]));
});

test('a failure is answered as any other', async () => {
  lead = async () => {
    throw new AppError('unavailable', UNAVAILABLE_MESSAGE);
  };
  const answer = await follow('/abc');
  expect(answer.status).toBe(503);
  expect(await answer.json()).toEqual({ error: UNAVAILABLE_MESSAGE });
  expect(answer.headers.get('retry-after')).not.toBeNull();
  expect(visits).toHaveLength(1);
});

describe('anything unusual is Fastify’s', () => {
  test.each<[string, string, RequestInit]>([
    ['another method', '/abc', { method: 'POST' }],
    ['an escaped slug', '/a%62c', {}],
    ['no slug', '/', {}],
    ['two segments', '/abc/d', {}],
    ['what is no slug', '/-abc', {}],
  ])('%s', async (_what, path, init) => {
    await follow(path, init);
    expect(visits).toEqual([]);
  });

  test.each<[string, string]>([
    ['a GET with a body', 'GET /abc HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 2\r\n\r\nhi'],
    ['no Host', 'GET /abc HTTP/1.1\r\n\r\n'],
    ['two Hosts', 'GET /abc HTTP/1.1\r\nHost: a\r\nHost: a\r\nConnection: close\r\n\r\n'],
  ])('%s', async (_what, bytes) => {
    await sendRaw(bytes);
    expect(visits).toEqual([]);
  });
});

test('a visit that was sent before the answer to the one ahead of it waits for its turn', async () => {
  const { promise, resolve } = Promise.withResolvers<RedirectHeaders>();
  lead = () => promise;
  const one = (slug: string, more = '') => `GET /${slug} HTTP/1.1\r\nHost: a\r\n${more}\r\n`;
  const answers = sendRaw(one('first') + one('second', 'Connection: close\r\n'));
  await vi.waitFor(() => expect(visits).toMatchObject([{ slug: 'first' }]));
  lines.length = 0;
  await follow('/other', { method: 'POST' });
  await vi.waitFor(() => expect(lines).toMatchObject([{ path: '/other' }]));
  resolve({ location: 'https://example.com/' });
  expect((await answers).match(/^HTTP\/1.1 \d+|"slug":"\w+"/gm)).toEqual([
    'HTTP/1.1 302',
    'HTTP/1.1 200',
    '"slug":"second"',
  ]);
  expect(lines).toMatchObject([{ path: '/other' }, { path: '/first' }, { path: '/second' }]);
});

test('an answer that was under way when connections began to drain asks for the end of its own', async () => {
  const { promise, resolve } = Promise.withResolvers<RedirectHeaders>();
  lead = () => promise;
  const answering = follow('/abc');
  await vi.waitFor(() => expect(visits).toHaveLength(1));
  app.drainConnections();
  resolve({ location: 'https://example.com/' });
  expect((await answering).headers.get('connection')).toBe('close');
});
