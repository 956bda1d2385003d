import { createSigner } from '@waymark/auth';
import { MCP_BATCH_TOO_LONG, MCP_INSTRUCTIONS, TOOLS, UNAUTHENTICATED_MESSAGE } from '@waymark/contract';
import { IDENTITY_HEADER } from '@waymark/proto';
import { describe, expect, test } from 'vitest';
import { HANDSHAKE_REVISIONS, INITIALIZE, META, modern, REVISION_2026, request } from './messages.ts';
import { identityHeader } from './stack.ts';
import { startTestStack } from './test-stack.ts';

const JSON_TYPE = { 'content-type': 'application/json' };
const PING = JSON.stringify(request('ping'));

// The protocol that mcp-svc speaks, revision by revision. e2e/mcp/transport.test.ts has what a client sees of HTTP.

describe('authentication', () => {
  test('"a request sent straight to a service\'s own port, with or without forged headers, is 401"', async () => {
    const stack = await startTestStack();
    const forged = await createSigner({ current: 'another-key-of-at-least-32-characters' }).mint({
      kind: 'account',
      accountId: 'a1',
      username: 'ada',
      plan: 'developer',
      scope: 'full_access',
    });
    const attempts: Record<string, string>[] = [
      {},
      { [IDENTITY_HEADER]: 'nonsense' },
      { [IDENTITY_HEADER]: forged },
      { authorization: 'Bearer key_live_0123456789012345678901234567890123' },
      await identityHeader({ kind: 'service', service: 'gateway' }),
    ];
    for (const headers of attempts) {
      const reply = await stack.send({ method: 'POST', headers: { ...JSON_TYPE, ...headers }, body: PING });
      expect(reply.status).toBe(401);
      expect(reply.json).toEqual({ error: UNAUTHENTICATED_MESSAGE });
      expect(reply.headers.get('www-authenticate')).toBe('Bearer realm="waymark", error="invalid_token"');
    }
  });
});

describe('HTTP', () => {
  test('"`GET` and `DELETE` are `405`", and every other method, with Allow: POST', async () => {
    const stack = await startTestStack();
    for (const method of ['GET', 'DELETE', 'PUT', 'PATCH', 'OPTIONS']) {
      const reply = await stack.send({ method, headers: stack.identity });
      expect(reply.status).toBe(405);
      expect(reply.headers.get('allow')).toBe('POST');
      expect(Object.keys(reply.json)).toEqual(['error']);
    }
    const head = await stack.send({ method: 'HEAD', headers: stack.identity });
    expect([head.status, head.headers.get('allow'), head.text]).toEqual([405, 'POST', '']);
  });

  test('malformed JSON gets 400 with -32700', async () => {
    const stack = await startTestStack();
    for (const body of ['{', '', 'null null', '{"jsonrpc":"2.0",}']) {
      const reply = await stack.post(body);
      expect(reply.status).toBe(400);
      expect(reply.json).toMatchObject({ jsonrpc: '2.0', id: null, error: { code: -32700 } });
    }
    const notUtf8 = await stack.send({
      method: 'POST',
      headers: { ...JSON_TYPE, ...stack.identity },
      body: Buffer.from([...Buffer.from('"'), 0xff, ...Buffer.from('"')]),
    });
    expect(notUtf8.json.error.code).toBe(-32700);
  });

  test('JSON that is not a JSON-RPC message gets 400 with -32600', async () => {
    const stack = await startTestStack();
    for (const body of ['null', '7', '[]', '{}', { id: 1, method: 'ping' }, [7], [null], [[]]]) {
      const reply = await stack.post(body);
      expect(reply.status, JSON.stringify(body)).toBe(400);
      expect(reply.json.error.code).toBe(-32600);
    }
  });

  test('another content type is refused', async () => {
    const stack = await startTestStack();
    const reply = await stack.send({
      method: 'POST',
      headers: { 'content-type': 'text/plain', ...stack.identity },
      body: PING,
    });
    expect([reply.status, Object.keys(reply.json)]).toEqual([422, ['error']]);
  });

  test('every response has X-Request-Id, and the services get the same id', async () => {
    const stack = await startTestStack();
    const reply = await stack.post(request('tools/call', { name: 'get_me' }), { 'x-request-id': 'req-42' });
    expect(reply.headers.get('x-request-id')).toBe('req-42');
    expect(stack.services.seen).toMatchObject([
      { method: 'getMe', requestId: 'req-42', token: stack.identity[IDENTITY_HEADER] },
    ]);
  });

  test('the service is ready while the other services are reachable', async () => {
    const stack = await startTestStack();
    expect((await stack.send({ path: '/readyz' })).status).toBe(200);
    const alone = await startTestStack({}, { addresses: { analytics: '127.0.0.1:1' } });
    const reply = await alone.send({ path: '/readyz' });
    expect(reply.status).toBe(503);
    expect(reply.json.error).toContain('analytics-svc');
    expect((await alone.send({ path: '/livez' })).status).toBe(200);
  });
});

describe('revisions with a handshake', () => {
  test.each(HANDSHAKE_REVISIONS)('%s is negotiated if a client requests it', async (protocolVersion) => {
    const stack = await startTestStack();
    const { json } = await stack.post(request('initialize', { ...INITIALIZE, protocolVersion }));
    expect(json.result).toEqual({
      protocolVersion,
      capabilities: { tools: {} },
      serverInfo: { name: 'waymark', title: 'Waymark', version: expect.stringMatching(/^\d+\.\d+\.\d+/) },
      instructions: MCP_INSTRUCTIONS,
    });
    expect((await stack.post(request('ping'), { 'mcp-protocol-version': protocolVersion })).json.result).toEqual({});
  });

  test.each(['2024-10-07', '2019-01-01', REVISION_2026, '2027-01-01', 'x', ''])(
    'a handshake that requests %s gets the latest of them',
    async (protocolVersion) => {
      const stack = await startTestStack();
      const { json } = await stack.post(request('initialize', { ...INITIALIZE, protocolVersion }));
      expect(json.result.protocolVersion).toBe('2025-11-25');
    },
  );

  test.each(['2024-10-07', '1999-01-01', 'nonsense', '2027-01-01'])(
    'the version header %s gets 400, and a missing header is accepted',
    async (version) => {
      const stack = await startTestStack();
      const reply = await stack.post(request('tools/list'), { 'mcp-protocol-version': version });
      expect(reply.status).toBe(400);
      expect(reply.json.error.code).toBeTypeOf('number');
      expect((await stack.post(request('tools/list'))).status).toBe(200);
    },
  );

  test.each([...HANDSHAKE_REVISIONS, '2024-10-07', 'nonsense', REVISION_2026, '2027-01-01'])(
    'the version header %s does not count for a handshake, which negotiates the version',
    async (version) => {
      const stack = await startTestStack();
      for (const protocolVersion of HANDSHAKE_REVISIONS) {
        const message = request('initialize', { ...INITIALIZE, protocolVersion });
        const { status, json } = await stack.post(message, { 'mcp-protocol-version': version });
        expect([status, json.result?.protocolVersion]).toEqual([200, protocolVersion]);
      }
    },
  );

  test('notifications and responses get 202 with an empty body', async () => {
    const stack = await startTestStack();
    for (const message of [
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } },
      { jsonrpc: '2.0', method: 'notifications/of/no/kind' },
      { jsonrpc: '2.0', id: 1, result: {} },
      { jsonrpc: '2.0', id: 1, error: { code: 1, message: 'x' } },
    ]) {
      const reply = await stack.post(message);
      expect([reply.status, reply.text]).toEqual([202, '']);
    }
  });

  test('batches work in 2024-11-05 and 2025-03-26 only', async () => {
    const stack = await startTestStack();
    const batch = [
      request('ping', undefined, 1),
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      request('tools/call', { name: 'get_me' }, 'two'),
    ];
    for (const headers of [
      {},
      { 'mcp-protocol-version': '2024-11-05' },
      { 'mcp-protocol-version': '2025-03-26' },
    ] as Record<string, string>[]) {
      const { status, json } = await stack.post(batch, headers);
      expect(status).toBe(200);
      expect(json.map(({ id }: { id: unknown }) => id)).toEqual([1, 'two']);
      expect(json[1].result.structuredContent.username).toBe('ada');
    }
    for (const version of ['2025-06-18', '2025-11-25', REVISION_2026]) {
      const later = await stack.post(batch, { 'mcp-protocol-version': version });
      expect([later.status, later.json.error?.code], version).toEqual([400, expect.any(Number)]);
    }
    expect((await stack.post([{ jsonrpc: '2.0', method: 'notifications/initialized' }])).status).toBe(202);
    const tooMany = await stack.post(Array.from({ length: 21 }, (_, id) => request('ping', undefined, id)));
    expect([tooMany.status, tooMany.json]).toEqual([400, MCP_BATCH_TOO_LONG]);
    const handshake = await stack.post([request('initialize', INITIALIZE), request('ping')]);
    expect([handshake.status, handshake.json.error.code]).toEqual([400, -32600]);
  });

  test('an unknown method gets -32601, an unknown tool -32602, and what is not offered an empty list', async () => {
    const stack = await startTestStack();
    expect((await stack.post(request('resources/subscribe'))).json.error.code).toBe(-32601);
    for (const [method, list] of [
      ['resources/list', { resources: [] }],
      ['resources/templates/list', { resourceTemplates: [] }],
      ['prompts/list', { prompts: [] }],
    ] as const)
      expect((await stack.post(request(method))).json.result).toEqual(list);
    for (const name of ['nope', '__proto__', 'toString', '']) {
      const { error } = await stack.call(name, {});
      expect(error).toMatchObject({ code: -32602, message: expect.stringContaining('Unknown tool') });
    }
  });

  test('invalid params get -32602 with their names', async () => {
    const stack = await startTestStack();
    for (const [method, params, words] of [
      ['tools/call', { name: 'get_me', arguments: 7 }, 'params.arguments'],
      ['tools/call', {}, 'params.name'],
      ['tools/call', undefined, 'params'],
      ['initialize', {}, 'params.protocolVersion'],
      ['tools/list', { cursor: 7 }, 'params.cursor'],
      ['tools/list', { cursor: 'x' }, 'cursor'],
    ] as const) {
      const { error } = (await stack.post(request(method, params))).json;
      expect(error).toMatchObject({ code: -32602, message: expect.stringContaining(words) });
      expect(error.message).not.toContain('{');
    }
  });
});

describe('revision 2026-07-28', () => {
  test('server/discover returns revision, capabilities and instructions', async () => {
    const stack = await startTestStack();
    const { body, headers } = modern('server/discover');
    const { status, json } = await stack.post(body, headers);
    expect(status).toBe(200);
    expect(json.result).toMatchObject({
      supportedVersions: [REVISION_2026],
      capabilities: { tools: {} },
      instructions: MCP_INSTRUCTIONS,
      _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'waymark' } },
    });
  });

  test('headers that are missing or differ from the body get 400 with -32020', async () => {
    const stack = await startTestStack();
    const { body, headers } = modern('tools/call', { name: 'get_me' });
    for (const change of [
      { 'mcp-method': undefined },
      { 'mcp-method': 'tools/list' },
      { 'mcp-name': undefined },
      { 'mcp-name': 'delete_link' },
      { 'mcp-protocol-version': undefined },
      { 'mcp-protocol-version': '2025-11-25' },
    ]) {
      const sent = Object.fromEntries(
        Object.entries({ ...headers, ...change }).filter((entry): entry is [string, string] => entry[1] !== undefined),
      );
      const reply = await stack.post(body, sent);
      expect([reply.status, reply.json.error.code], JSON.stringify(change)).toEqual([400, -32020]);
    }
    expect(stack.services.seen).toEqual([]);
    expect((await stack.post(body, headers)).status).toBe(200);
  });

  test('a base64 name is decoded, and a malformed one gets 400', async () => {
    const stack = await startTestStack();
    const { body, headers } = modern('tools/call', { name: 'get_me' });
    const named = async (name: string) => (await stack.post(body, { ...headers, 'mcp-name': name })).status;
    expect(await named(`=?base64?${btoa('get_me')}?=`)).toBe(200);
    for (const name of [`=?base64?${btoa('list_links')}?=`, '=?base64?Z2V0X21l!?=', '=?base64??=', '', btoa('get_me')])
      expect(await named(name), name).toBe(400);
  });

  test('invalid params get -32602 with their names', async () => {
    const stack = await startTestStack();
    for (const [method, params, words] of [
      ['tools/call', { name: 'get_me', arguments: 7 }, 'params.arguments'],
      ['tools/call', {}, 'params.name'],
      ['tools/list', { cursor: 7 }, 'params.cursor'],
      ['tools/list', { cursor: 'x' }, 'cursor'],
    ] as const) {
      const { body, headers } = modern(method, params);
      const reply = await stack.post(body, headers);
      expect([reply.status, reply.json.id]).toEqual([200, 1]);
      expect(reply.json.error).toMatchObject({ code: -32602, message: expect.stringContaining(words) });
      expect(reply.json.error.message).not.toContain('{');
    }
  });

  test('the error of a refused request has its id', async () => {
    const stack = await startTestStack();
    const { body, headers } = modern('tools/list');
    for (const change of [{ 'mcp-method': 'tools/call' }, { 'mcp-protocol-version': '2025-11-25' }])
      expect((await stack.post({ ...body, id: 'seven' }, { ...headers, ...change })).json.id).toBe('seven');
  });

  test('the header without the _meta of the revision gets 400', async () => {
    const stack = await startTestStack();
    const { headers } = modern('tools/list');
    const reply = await stack.post(request('tools/list'), headers);
    expect([reply.status, reply.json.error.code]).toEqual([400, -32602]);
  });

  test('a later revision gets 400 with the supported revisions', async () => {
    const stack = await startTestStack();
    const later = '2027-03-01';
    const reply = await stack.post(
      request('tools/list', { _meta: { ...META, 'io.modelcontextprotocol/protocolVersion': later } }),
      { 'mcp-protocol-version': later, 'mcp-method': 'tools/list' },
    );
    expect(reply.status).toBe(400);
    expect(reply.json).toMatchObject({
      id: 1,
      error: { code: -32022, data: { supported: [REVISION_2026], requested: later } },
    });
  });

  test('methods that the revision or this server lacks get 404 with -32601', async () => {
    const stack = await startTestStack();
    for (const method of ['initialize', 'ping', 'resources/list', 'subscriptions/listen', 'nope']) {
      const { body, headers } = modern(method);
      const reply = await stack.post(body, headers);
      expect([reply.status, reply.json.error.code], method).toEqual([404, -32601]);
    }
  });

  test('a notification gets 202 with an empty body', async () => {
    const stack = await startTestStack();
    const { headers } = modern('notifications/cancelled');
    const reply = await stack.post(
      { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1, _meta: META } },
      headers,
    );
    expect([reply.status, reply.text]).toEqual([202, '']);
  });

  test('an unknown tool gets -32602', async () => {
    const stack = await startTestStack();
    const { body, headers } = modern('tools/call', { name: 'nope' });
    expect((await stack.post(body, headers)).json.error.code).toBe(-32602);
  });
});

describe('the list of tools', () => {
  test('is the same, byte for byte, for both keys and every call', async () => {
    const stack = await startTestStack();
    const publicKey = await identityHeader({ accountId: 'a2', username: 'bob', scope: 'public_links_only' });
    const first = await stack.post(request('tools/list'));
    expect(first.json.result.tools).toEqual(JSON.parse(JSON.stringify(TOOLS)));
    for (const headers of [{}, publicKey, { 'mcp-protocol-version': '2025-06-18' }])
      expect((await stack.post(request('tools/list'), headers)).text).toBe(first.text);

    const { body, headers } = modern('tools/list');
    const firstModern = await stack.post(body, headers);
    expect(firstModern.json.result.tools).toEqual(first.json.result.tools);
    expect((await stack.post(body, { ...headers, ...publicKey })).text).toBe(firstModern.text);
  });
});
