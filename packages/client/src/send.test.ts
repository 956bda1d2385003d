import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createClient, exportLinks, watchJob } from './index.ts';

type Respond = (response: ServerResponse, request: IncomingMessage) => void;

const pauses: number[] = [];
let responses: Respond[] = [];
let requests: { method: string; key: string | undefined; body: string }[] = [];
const server = createServer(async (request, response) => {
  let body = '';
  for await (const piece of request) body += piece;
  requests.push({ method: request.method!, key: request.headers['idempotency-key'] as string | undefined, body });
  responses.shift()!(response, request);
});
let client: ReturnType<typeof createClient>;

beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const onRetry = (_: unknown, pauseMs: number) => pauses.push(pauseMs);
  client = createClient({ url: `http://127.0.0.1:${port}/`, key: 'k', onRetry });
});
afterAll(() => server.close());
beforeEach(() => {
  requests = [];
  pauses.length = 0;
});

const json =
  (status: number, body: object, headers: Record<string, string> = {}): Respond =>
  (response) =>
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
const busy = (status: number) => json(status, { error: 'Later.' }, { 'retry-after': '0' });
const noResponse: Respond = (response) => response.destroy();
const halfJson: Respond = (response) => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' }).write('{');
  setImmediate(() => response.destroy());
};
const link = { id: 'a' };
const body = { destination_url: 'https://example.com/' };
const path = { id: 'a' };

test('a creation is repeated with one Idempotency-Key, after no response, half of one, 503 and 429', async () => {
  responses = [noResponse, halfJson, busy(503), busy(429), json(201, link)];
  expect(await client.post('/api/v1/links', { body })).toEqual(link);
  expect(requests.map(({ body }) => body)).toEqual(Array(5).fill(JSON.stringify(body)));
  expect(new Set(requests.map(({ key }) => key)).size).toBe(1);
  expect(requests[0]!.key).toMatch(/^[0-9a-f]{32}$/);
  expect(pauses).toEqual([500, 1000, 0, 0]);
});

test('the fifth failure is thrown', async () => {
  responses = Array(5).fill(busy(503));
  await expect(client.get('/api/v1/me')).rejects.toMatchObject({ name: 'WaymarkError', status: 503 });
  expect(responses).toEqual([]);
});

test('a change that could be made twice is not repeated, except after 429', async () => {
  responses = [busy(429), noResponse];
  const adding = client.post('/api/v1/hosts', { body: { host: 'go.example.com' } });
  await expect(adding).rejects.toMatchObject({ status: 0, isUncertain: true });
  expect(requests.map(({ key }) => key)).toEqual([undefined, undefined]);
});

test('a deletion whose response was lost has succeeded if the link is gone', async () => {
  responses = [noResponse, json(404, { error: 'Link not found.' })];
  expect(await client.delete('/api/v1/links/{id}', { path })).toBeUndefined();
  responses = [json(404, { error: 'Link not found.' })];
  await expect(client.delete('/api/v1/links/{id}', { path })).rejects.toMatchObject({ status: 404 });
});

test.each<[Respond, object]>([
  [
    json(422, { error: '"slug" is taken.' }, { 'x-request-id': 'r1' }),
    { message: '"slug" is taken.', requestId: 'r1' },
  ],
  [json(429, { error: 'Later.' }, { 'retry-after': '600' }), { status: 429, retryAfterSeconds: 600 }],
  [(response) => response.writeHead(502).end('<h1>'), { message: expect.stringMatching(/status 502, and not as/) }],
  [
    (response) => response.writeHead(301, { location: 'https://go.example/' }).end(),
    { message: expect.stringMatching(/redirects to https:\/\/go.example\/; use that address/) },
  ],
])('a refusal is thrown at once', async (respond, expected) => {
  responses = [respond];
  await expect(client.post('/api/v1/links', { body })).rejects.toMatchObject({ name: 'WaymarkError', ...expected });
});

test('a response without a body is nothing, and one that is not JSON is an error that names the server', async () => {
  responses = [(response) => response.writeHead(202, { 'content-length': '0' }).end()];
  expect(await client.post('/api/v1/webhooks/{id}/test', { path })).toBeUndefined();
  const pages: Respond[] = ['text/html', 'application/json'].map(
    (type) => (response) => response.writeHead(200, { 'content-type': type }).end('<h1>'),
  );
  responses = [...pages];
  for (const _ of pages)
    await expect(client.get('/api/v1/me')).rejects.toMatchObject({
      name: 'WaymarkError',
      message: expect.stringMatching(/^http:\/\/127.0.0.1:\d+ responded with status 200, and not as Waymark does\.$/),
    });
});

test('a server that is not there is named', async () => {
  const away = createClient({ url: 'http://127.0.0.1:9', key: 'k', retries: 0 });
  await expect(away.get('/api/v1/me')).rejects.toMatchObject({
    status: 0,
    message: expect.stringMatching(/^http:\/\/127.0.0.1:9 does not respond: /),
  });
});

test('an export that breaks off is an error, after the links that arrived', async () => {
  responses = [
    (response) => {
      response.writeHead(200, { 'content-type': 'application/x-ndjson' }).write('{"id":"a"}\n{"id":"b"}\n{"i');
      setTimeout(() => response.destroy(), 50);
    },
  ];
  const ids: string[] = [];
  const reading = (async () => {
    for await (const { id } of exportLinks(client)) ids.push(id);
  })();
  await expect(reading).rejects.toMatchObject({ name: 'WaymarkError', status: 0 });
  expect(ids).toEqual(['a', 'b']);
});

test('an empty export has no links', async () => {
  responses = [(response) => response.writeHead(200, { 'content-type': 'text/csv', 'content-length': '0' }).end()];
  for await (const { id } of exportLinks(client)) expect.fail(id);
});

test('watching a job stops when it is told to, and throws the reason', async () => {
  const stopping = new AbortController();
  const job = { id: 'j', state: 'running' } as Parameters<typeof watchJob>[1];
  responses = [json(200, job), json(200, job)];
  const watching = watchJob(client, job, { onProgress: () => stopping.abort('stop'), signal: stopping.signal });
  await expect(watching).rejects.toBe('stop');
  expect(requests).toHaveLength(1);
});
