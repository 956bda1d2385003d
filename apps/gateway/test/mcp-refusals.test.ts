import { generateKey } from '@waymark/auth';
import { UNAVAILABLE_MESSAGE } from '@waymark/contract';
import { afterEach, describe, expect, test } from 'vitest';
import { errorOf, sendRaw, startGateway, type TestGateway } from './gateway.ts';

// docs/mcp.md, Errors: 429 and 503 of a tools/call are tool results, since SDKs show no other body. This file has those
// of the gateway, and of an mcp-svc that is away; apps/mcp-svc/test has those of the tools.

let gateway: TestGateway;
afterEach(() => gateway.close());

const META = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' };
const call = (id: unknown, params: object = {}) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name: 'list_links', ...params },
});
const ofMethod = (method: string, id?: unknown) => ({ jsonrpc: '2.0', method, ...(id !== undefined && { id }) });

function post(key: string, body: unknown, headers: Record<string, string> = {}) {
  return fetch(`${gateway.url}/mcp`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
}

const toolError = (id: unknown, text: unknown, more: object = {}) => ({
  jsonrpc: '2.0',
  id,
  result: { content: [{ type: 'text', text }], isError: true, ...more },
});
const rpcError = (id: unknown, message: unknown) => ({ jsonrpc: '2.0', id, error: { code: -32000, message } });

async function outcomeOf(response: Response) {
  expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
  expect(response.headers.get('x-request-id')).toMatch(/\S/);
  return [response.status, Number(response.headers.get('retry-after')), await response.json()];
}

/** A gateway whose key has no requests left. */
async function startExhausted() {
  gateway = await startGateway({ RATE_LIMIT_PER_MINUTE: 1 });
  const key = gateway.accounts.addKey({ username: 'ada' });
  expect((await gateway.get('/api/v1/me', key)).status).toBe(200);
  return key;
}

const RATE_LIMITED = expect.stringMatching(
  /^This key or session may make 1 requests per minute; try again in \d\d seconds\.$/,
);
const WAIT = expect.toSatisfy((seconds: number) => seconds > 50 && seconds <= 60);

describe('a key without requests left', () => {
  test.each([
    ['2025-11-25 and before', {}, {}],
    ['2026-07-28', { _meta: META }, { resultType: 'complete' }],
  ])('gets a tool result for a call in revision %s, with the seconds to wait', async (_revision, params, more) => {
    const key = await startExhausted();
    for (const id of [1, 'seven'])
      expect(await outcomeOf(await post(key, call(id, params)))).toEqual([
        200,
        WAIT,
        toolError(id, RATE_LIMITED, more),
      ]);
    expect(gateway.mcp.received).toEqual([]);
  });

  test('gets one response for each request of a batch, with 200 if one is a call', async () => {
    const key = await startExhausted();
    const notification = ofMethod('notifications/cancelled');
    expect(await outcomeOf(await post(key, [call(1), notification, ofMethod('ping', 2), call(3)]))).toEqual([
      200,
      WAIT,
      [toolError(1, RATE_LIMITED), rpcError(2, RATE_LIMITED), toolError(3, RATE_LIMITED)],
    ]);
    expect((await post(key, [notification, ofMethod('ping', 2)])).status).toBe(200);
  });

  test.each<[string, unknown]>([
    ['a call without an id', call(undefined)],
    ['a call whose id is null', call(null)],
  ])('gets a plain 429 for %s', async (_what, body) => {
    const key = await startExhausted();
    const refused = await post(key, body);
    expect([refused.status, Number(refused.headers.get('retry-after'))]).toEqual([429, WAIT]);
    expect(await errorOf(refused)).toEqual(RATE_LIMITED);
  });

  test('gets a tool result for a call of 256 KiB, with a byte-order mark, in chunks and without a content type', async () => {
    const key = await startExhausted();
    const long = JSON.stringify(call(1, { arguments: { q: 'x'.repeat(256 * 1024 - 200) } }));
    for (const body of [long, `\uFEFF${JSON.stringify(call(1))}`])
      expect((await outcomeOf(await post(key, body)))[2]).toEqual(toolError(1, RATE_LIMITED));
    const json = JSON.stringify(call(1));
    const chunks = `${json.length.toString(16)}\r\n${json}\r\n0\r\n\r\n`;
    const raw = await sendRaw(
      gateway.port,
      `POST /mcp HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nTransfer-Encoding: chunked\r\n\r\n${chunks}`,
    );
    expect(raw).toMatch(/^HTTP\/1\.1 200 /);
    expect(raw).toContain('"isError":true');
  });

  test.each<[string, number, unknown]>([
    ['a batch that is too long', 400, Array.from({ length: 21 }, (_, id) => call(id))],
    ['a body over the limit', 413, call(1, { arguments: { q: 'x'.repeat(256 * 1024) } })],
    ['an empty batch', 200, []],
    ['no JSON', 200, '{"id":1,'],
    ['no message', 200, 'null'],
    ['no body', 200, ''],
  ])('does not hear of its limit for %s, which calls nothing', async (_what, status, body) => {
    const key = await startExhausted();
    expect((await post(key, body)).status).toBe(status);
  });
});

test('a bulk edit that exceeds what is left gets a tool result, also with its arguments as text', async () => {
  gateway = await startGateway({ RATE_LIMIT_PER_MINUTE: 5 });
  const key = gateway.accounts.addKey({ username: 'ada' });
  const args = { operations: Array.from({ length: 7 }, () => ({ op: 'delete', id: 'x' })) };
  for (const sent of [args, JSON.stringify(args)])
    expect(await outcomeOf(await post(key, call(1, { name: 'bulk_edit_links', arguments: sent })))).toEqual([
      200,
      WAIT,
      toolError(1, expect.stringMatching(/^This batch counts as 7 requests, .* or try again in \d\d seconds\.$/)),
    ]);
  expect(gateway.mcp.received).toEqual([]);
});

test('an address that sent too many unknown keys gets a tool result for a call of usual size, else a plain 429', async () => {
  gateway = await startGateway({ AUTH_FAILURES_PER_MINUTE: 1 });
  expect((await post(generateKey('full_access'), call(1))).status).toBe(401);
  const message = expect.stringMatching(
    /^Too many requests without a valid API key from this address; try again in \d/,
  );
  expect(await outcomeOf(await post(generateKey('full_access'), call(1)))).toEqual([200, WAIT, toolError(1, message)]);
  const long = await post(generateKey('full_access'), call(1, { arguments: { q: 'x'.repeat(16 * 1024) } }));
  expect(long.status).toBe(429);
  expect(await errorOf(long)).toEqual(message);
});

const inOneSecond = (message: string) => message.replace('in a moment', 'in 1 second');

test('while keys cannot be looked up, a call gets a tool result', async () => {
  gateway = await startGateway();
  const key = gateway.accounts.addKey({ username: 'ada' });
  gateway.accounts.failing = true;
  expect(await outcomeOf(await post(key, call(1)))).toEqual([200, 1, toolError(1, inOneSecond(UNAVAILABLE_MESSAGE))]);
  expect(await outcomeOf(await post(key, ofMethod('tools/list', 1)))).toEqual([
    503,
    1,
    rpcError(1, inOneSecond(UNAVAILABLE_MESSAGE)),
  ]);
  // Its HTTP status is 200, so a metric of its own tells operators.
  expect(await gateway.metrics()).toMatch(/^mcp_calls_refused_total\{.*status="503".*\} 1$/m);
});

test('401 and 403 stay plain', async () => {
  gateway = await startGateway();
  const refused = [
    await post(generateKey('full_access'), call(1)),
    await post(gateway.accounts.addKey({ username: 'free', plan: 'free' }), call(1)),
    await post(gateway.accounts.addKey({ username: 'ada' }), call(1), { origin: 'https://evil.example' }),
  ];
  expect(refused.map(({ status }) => status)).toEqual([401, 403, 403]);
  for (const one of refused) await errorOf(one);
});

describe('mcp-svc', () => {
  test.each<[string, (gateway: TestGateway) => unknown]>([
    ['is away', ({ mcp }) => mcp.close()],
    ['breaks off', ({ mcp }) => mcp.on('/mcp', (request) => request.socket.destroy())],
    ['does not respond', ({ mcp }) => mcp.on('/mcp', () => {})],
    [
      'refuses the identity',
      ({ mcp }) => mcp.on('/mcp', (_request, response) => void response.writeHead(401).end('{"error":"No."}')),
    ],
    [
      'or its proxy responds with a page',
      ({ mcp }) =>
        mcp.on('/mcp', (_request, response) => void response.writeHead(503).end('<h1>upstream 10.0.0.1</h1>')),
    ],
  ])('%s: a call gets a tool result, another method an error', async (_what, breakIt) => {
    gateway = await startGateway();
    const key = gateway.accounts.addKey({ username: 'ada' });
    await breakIt(gateway);
    const [one, other, both] = await Promise.all([
      post(key, call(1)),
      post(key, ofMethod('tools/list', 1)),
      post(key, ofMethod('notifications/initialized')),
    ]);
    const message = inOneSecond(UNAVAILABLE_MESSAGE);
    expect(await outcomeOf(one)).toEqual([200, 1, toolError(1, message)]);
    expect(await outcomeOf(other)).toEqual([503, 1, rpcError(1, message)]);
    expect([both.status, await errorOf(both)]).toEqual([503, UNAVAILABLE_MESSAGE]);
    expect(gateway.log.filter((line) => line.includes('request failed')).length).toBeGreaterThan(2);
  });

  test('responds with 429 or 503 before it read the message: its words and its seconds are kept', async () => {
    gateway = await startGateway();
    const key = gateway.accounts.addKey({ username: 'ada' });
    for (const status of [429, 503]) {
      gateway.mcp.on('/mcp', (_request, response) => {
        const body = JSON.stringify({ error: 'The clocks differ.' });
        response.writeHead(status, { 'content-length': body.length, 'retry-after': '9' }).end(body);
      });
      const text = 'The clocks differ. Try again in 9 seconds.';
      expect(await outcomeOf(await post(key, call(1)))).toEqual([200, 9, toolError(1, text)]);
      expect(await outcomeOf(await post(key, ofMethod('ping', 1)))).toEqual([status, 9, rpcError(1, text)]);
    }
  });
});
