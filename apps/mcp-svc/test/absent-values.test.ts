import { describe, expect, test } from 'vitest';
import { LINK } from './fake-services.ts';
import { HANDSHAKE_REVISIONS, INITIALIZE, META, modern, REVISION_2026, request } from './messages.ts';
import { startTestStack } from './test-stack.ts';

// The contract, section 6: outside `arguments`, null is the same as absent, and an empty list the same as an empty
// object. Clients in PHP, Go, C# and Emacs Lisp send them for what they leave out.

/** Builds the message of a revision and its headers. Revision 2026-07-28 adds its `_meta` to that of the params. */
function messageOf(revision: string, method: string, params: Record<string, unknown> = {}) {
  if (revision !== REVISION_2026)
    return { body: request(method, params), headers: { 'mcp-protocol-version': revision } };
  const { body, headers } = modern(method, params);
  const meta = { ...(params._meta as object | undefined), ...META };
  return { body: { ...body, params: { ...params, _meta: meta } }, headers };
}

const NOTHING = [null, []];

describe.each([...HANDSHAKE_REVISIONS, REVISION_2026])('in revision %s', (revision) => {
  const LIKE_ABSENT: [string, Record<string, unknown>][] = [
    ['tools/list', { cursor: null }],
    ['tools/list', { cursor: '' }],
    ['tools/list', { _meta: { progressToken: null } }],
    ['tools/call', { name: 'get_me', arguments: null }],
    ['tools/call', { name: 'get_me', arguments: [] }],
    ['tools/call', { name: 'get_me', _meta: { progressToken: null, traceparent: null, 'example.com/x': [] } }],
    ['tools/call', { name: 'get_me', task: null }],
    ['tools/call', { name: 'get_me', arguments: {}, task: null, _meta: {}, example: [], other: { a: null } }],
  ];
  test('null and an empty list are as absent', async () => {
    const stack = await startTestStack();
    for (const [method, params] of LIKE_ABSENT) {
      const sent = messageOf(revision, method, params);
      const bare = messageOf(revision, method, method === 'tools/call' ? { name: 'get_me' } : {});
      const [reply, expected] = [await stack.post(sent.body, sent.headers), await stack.post(bare.body, bare.headers)];
      expect(expected.json.result).toBeDefined();
      expect(reply, JSON.stringify(params)).toMatchObject({ status: 200, json: expected.json });
    }
  });

  test('a message may have null for what only other messages have', async () => {
    const stack = await startTestStack();
    const { body, headers } = messageOf(revision, 'tools/call', { name: 'get_me' });
    const reply = await stack.post({ ...body, result: null, error: null }, headers);
    expect(reply.json.result.structuredContent).toMatchObject({ username: 'ada' });
  });

  test('a request whose id is null is a notification', async () => {
    const stack = await startTestStack();
    const { body, headers } = messageOf(revision, 'tools/call', { name: 'delete_link', arguments: { id: LINK.id } });
    const reply = await stack.post({ ...body, id: null }, headers);
    expect([reply.status, reply.text]).toEqual([202, '']);
    expect(stack.services.seen).toEqual([]);
  });

  test('inside arguments, tools decide: an empty list stays one', async () => {
    const stack = await startTestStack();
    const args = { id: LINK.id, title: null, hashtags: [] };
    const { body, headers } = messageOf(revision, 'tools/call', { name: 'update_link', arguments: args });
    expect((await stack.post(body, headers)).json.result.isError).toBeUndefined();
    expect(stack.services.seen.map(({ input }) => input)).toEqual([{ id: LINK.id, hashtags: [] }]);
  });

  const WRONG: [string, Record<string, unknown>, string][] = [
    ['tools/call', { name: 'get_me', arguments: [1] }, 'params.arguments'],
    ['tools/call', { name: 'get_me', arguments: [null] }, 'params.arguments'],
    ['tools/call', { name: 'get_me', arguments: 7 }, 'params.arguments'],
    ['tools/call', { name: 'get_me', arguments: 'x' }, 'params.arguments'],
    ['tools/call', { name: 'get_me', arguments: '{"a":' }, 'params.arguments'],
    ['tools/call', { name: 'get_me', arguments: '7' }, 'params.arguments'],
    ['tools/call', { name: 'get_me', arguments: '"{}"' }, 'params.arguments'],
    ['tools/call', { name: 'get_me', arguments: '[1]' }, 'params.arguments'],
    ['tools/call', { name: null, arguments: {} }, 'params.name'],
    ['tools/list', { cursor: 7 }, 'params.cursor'],
    ['tools/list', { cursor: ['x'] }, 'params.cursor'],
    ['tools/list', { cursor: 'x' }, 'cursor'],
  ];
  test('what is wrong stays an error', async () => {
    const stack = await startTestStack();
    for (const [method, params, words] of WRONG) {
      const { body, headers } = messageOf(revision, method, params);
      expect((await stack.post(body, headers)).json.error, JSON.stringify(params)).toMatchObject({
        code: -32602,
        message: expect.stringContaining(words),
      });
    }
  });

  test('nesting of any depth is read', async () => {
    const stack = await startTestStack();
    const deep = `${'{"a":['.repeat(15_000)}null${']}'.repeat(15_000)}`;
    const { body, headers } = messageOf(revision, 'tools/call', { name: 'get_me', _meta: { deep: 'DEEP' } });
    const reply = await stack.post(JSON.stringify(body).replace('"DEEP"', deep), headers);
    expect([reply.status, reply.json.result?.structuredContent.username]).toEqual([200, 'ada']);
  });
});

describe.each(HANDSHAKE_REVISIONS)('in revision %s, which has a handshake,', (revision) => {
  test('a request may have nothing as params and as _meta', async () => {
    const stack = await startTestStack();
    const headers = { 'mcp-protocol-version': revision };
    const { result } = (await stack.post(request('tools/list'), headers)).json;
    expect(result).toBeDefined();
    for (const params of [...NOTHING, ...NOTHING.map((_meta) => ({ _meta }))])
      expect(await stack.post(request('tools/list', params), headers)).toMatchObject({ status: 200, json: { result } });
  });

  test('a notification may have nothing as params, as _meta and as id', async () => {
    const stack = await startTestStack();
    for (const nothing of [...NOTHING.map((params) => ({ params })), { params: { _meta: null } }, { id: null }]) {
      const message = { jsonrpc: '2.0', method: 'notifications/initialized', ...nothing };
      const reply = await stack.post(message, { 'mcp-protocol-version': revision });
      expect([reply.status, reply.text], JSON.stringify(message)).toEqual([202, '']);
    }
  });

  test('params that are a list with items, a number or a text stay an error', async () => {
    const stack = await startTestStack();
    for (const params of [[1], [null], [[]], 7, 'x', true]) {
      const reply = await stack.post(request('tools/list', params), { 'mcp-protocol-version': revision });
      expect([reply.status, reply.json.error?.code], JSON.stringify(params)).toEqual([400, -32600]);
    }
  });

  const HANDSHAKES = [
    { clientInfo: { name: 'test', version: '1', title: null, websiteUrl: null, icons: null } },
    { clientInfo: { name: 'test', version: '1', icons: [] } },
    { clientInfo: { name: 'test', version: '1', icons: [{ src: 'https://a.b/i.png', sizes: [], theme: null }] } },
    { capabilities: { roots: null, sampling: null, elicitation: null, experimental: null, tasks: null } },
    { capabilities: { roots: [], sampling: [], elicitation: { form: [], url: null }, experimental: { x: [] } } },
    { capabilities: { roots: { listChanged: null } } },
    { capabilities: [] },
    { _meta: null },
    { _meta: [] },
  ];
  test('the handshake may have nothing in place of any part', async () => {
    const stack = await startTestStack();
    for (const part of HANDSHAKES) {
      const reply = await stack.post(request('initialize', { ...INITIALIZE, protocolVersion: revision, ...part }));
      const json = { result: { protocolVersion: revision } };
      expect(reply, JSON.stringify(part)).toMatchObject({ status: 200, json });
    }
  });

  test('the handshake still needs what it cannot do without', async () => {
    const stack = await startTestStack();
    for (const part of [{ protocolVersion: null }, { clientInfo: null }, { capabilities: [1] }, { capabilities: 7 }]) {
      const reply = await stack.post(request('initialize', { ...INITIALIZE, ...part }));
      expect(reply.json.error.message).toContain(`params.${Object.keys(part)[0]}`);
    }
  });
});

test('the messages of a batch are read alike', async () => {
  const stack = await startTestStack();
  const batch = [
    request('tools/list', null, 1),
    { jsonrpc: '2.0', id: null, method: 'notifications/initialized', params: [] },
    request('tools/call', { name: 'get_me', arguments: [], _meta: null }, 2),
  ];
  const { status, json } = await stack.post(batch);
  expect([status, json.map(({ id }: { id: number }) => id)]).toEqual([200, [1, 2]]);
  expect(json[1].result.structuredContent.username).toBe('ada');
});

const METAS = [
  { 'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1', title: null, icons: [] } },
  { 'io.modelcontextprotocol/clientInfo': null },
  { 'io.modelcontextprotocol/clientCapabilities': [] },
  { 'io.modelcontextprotocol/clientCapabilities': { roots: null, elicitation: [] } },
  { progressToken: null, 'io.modelcontextprotocol/logLevel': null },
];
test('in revision 2026-07-28, _meta may have nothing in place of any part', async () => {
  const stack = await startTestStack();
  const { body, headers } = modern('tools/list');
  for (const part of METAS) {
    const reply = await stack.post({ ...body, params: { _meta: { ...META, ...part } } }, headers);
    expect(reply.json.result?.tools, reply.text).toBeDefined();
  }
});
