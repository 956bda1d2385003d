import { describe, expect, test } from 'vitest';
import { createAccount, request, stack } from '../support/world.ts';

// The MCP transport through the gateway, from the perspective of a client. apps/mcp-svc/test/transport.test.ts has the
// revisions of the protocol, apps/gateway/test/mcp-refusals.test.ts what the gateway refuses.

const { live } = await createAccount();
const MESSAGE = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'get_me' } };
const JSON_TYPE = { 'content-type': 'application/json' };

const send = (options: Parameters<typeof request>[1]) =>
  request<Record<string, unknown>>('/mcp', { method: 'POST', key: live, ...options });

describe('the key is checked first', () => {
  test('before the method and the Origin', async () => {
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])
      for (const options of [{}, { headers: { origin: 'https://evil.example' } }]) {
        const { status, headers, body } = await request<object>('/mcp', { method, ...options });
        expect([method, status]).toEqual([method, 401]);
        expect(headers.get('www-authenticate')).toBe('Bearer realm="waymark", error="invalid_token"');
        expect(Object.keys(body)).toEqual(['error']);
      }
  });

  test('a malformed or too large body without a key gets 401 too', async () => {
    for (const body of ['{', 'x'.repeat(300 * 1024)])
      expect((await request('/mcp', { method: 'POST', body, headers: JSON_TYPE })).status).toBe(401);
  });

  test('a POST of JSON elsewhere gets a JSON 404, so that a client that tries other transports stops', async () => {
    for (const path of ['/sse', '/messages', '/mcp/sse', '/', '/docs', '/app/x', '/healthz', '/robots.txt', '/no-such'])
      for (const body of [JSON.stringify(MESSAGE), '{', '']) {
        const reply = await request<object>(path, { method: 'POST', headers: JSON_TYPE, body });
        expect([path, reply.status, reply.body]).toEqual([
          path,
          404,
          { error: expect.stringMatching(/^(Not found|Link not found)/) },
        ]);
      }
  });
});

const ANSWERS: [string, number, Parameters<typeof request>[1]][] = [
  ['a call without initialize', 200, { json: MESSAGE }],
  ['null and [] for nothing', 200, { json: { ...MESSAGE, params: { name: 'get_me', arguments: [], _meta: null } } }],
  ['Accept: application/json', 200, { json: MESSAGE, headers: { accept: 'application/json' } }],
  ['Accept: */*', 200, { json: MESSAGE, headers: { accept: '*/*' } }],
  ['Accept: text/event-stream', 200, { json: MESSAGE, headers: { accept: 'text/event-stream' } }],
  ['both types', 200, { json: MESSAGE, headers: { accept: 'application/json, text/event-stream' } }],
  ['the Origin of PUBLIC_URL', 200, { json: MESSAGE, headers: { origin: new URL(stack.publicUrl).origin } }],
  ['another Origin', 403, { json: MESSAGE, headers: { origin: 'https://evil.example' } }],
  ['Origin: null', 403, { json: MESSAGE, headers: { origin: 'null' } }],
  ['a version that is served', 200, { json: MESSAGE, headers: { 'mcp-protocol-version': '2025-06-18' } }],
  ['a version that is not', 400, { json: MESSAGE, headers: { 'mcp-protocol-version': '2024-10-07' } }],
  ['a session id that was made up', 200, { json: MESSAGE, headers: { 'mcp-session-id': 'made-up' } }],
  ['a notification', 202, { json: { jsonrpc: '2.0', method: 'notifications/initialized' } }],
  ['malformed JSON', 400, { body: '{', headers: JSON_TYPE }],
  ['a body of 256 KiB', 200, { body: padded(256 * 1024), headers: JSON_TYPE }],
  ['a byte more', 413, { body: padded(256 * 1024 + 1), headers: JSON_TYPE }],
  ['a compressed body', 422, { json: MESSAGE, headers: { 'content-encoding': 'gzip' } }],
  ['GET', 405, { method: 'GET' }],
  ['DELETE', 405, { method: 'DELETE' }],
];
test('each request gets its status, in JSON, and no session', async () => {
  for (const [what, expected, options] of ANSWERS) {
    const { status, headers, body } = await send(options);
    expect([what, status]).toEqual([what, expected]);
    expect(headers.get('mcp-session-id')).toBeNull();
    expect(headers.get('x-request-id')).toBeTruthy();
    if (status === 405) expect(headers.get('allow')).toBe('POST');
    if (status === 202) expect(body).toBe('');
    else expect(headers.get('content-type')).toMatch(/^application\/json/);
    if (status === 200)
      expect(body, what).toMatchObject({ id: 1, result: { structuredContent: { key_scope: 'full_access' } } });
    if (options?.body === '{') expect(body).toMatchObject({ error: { code: -32700 } });
    if (status === 403 || status === 405 || status === 413 || status === 422)
      expect(Object.keys(body)).toEqual(['error']);
  }
});

function padded(bytes: number): string {
  return JSON.stringify(MESSAGE).padEnd(bytes);
}
