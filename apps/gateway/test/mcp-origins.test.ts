import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { errorOf, startGateway, type TestGateway } from './gateway.ts';

const PAGE = 'http://localhost:6274';

let gateway: TestGateway;
let key: string;
beforeAll(async () => {
  gateway = await startGateway({ MCP_ALLOWED_ORIGINS: [PAGE] });
  key = gateway.accounts.addKey({ username: 'ada' });
});
afterAll(() => gateway.close());

const post = (headers: Record<string, string>) =>
  fetch(`${gateway.url}/mcp`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: '{"jsonrpc":"2.0","id":1,"method":"ping"}',
  });
const preflight = (origin: string, headers: Record<string, string> = {}) =>
  fetch(`${gateway.url}/mcp`, {
    method: 'OPTIONS',
    headers: {
      origin,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization, content-type, mcp-protocol-version',
      ...headers,
    },
  });

test('an `Origin` that is not allowed gets 403 and does not reach mcp-svc, and a request without `Origin` passes', async () => {
  const authorization = `Bearer ${key}`;
  for (const origin of ['https://evil.example', 'null', 'http://go.example', 'https://go.example.evil.example', '']) {
    const refused = await post({ authorization, origin });
    expect(refused.status, origin).toBe(403);
    expect(await errorOf(refused)).toContain('Origin');
    expect(refused.headers.get('access-control-allow-origin')).toBeNull();
  }
  expect(gateway.mcp.received).toEqual([]);
  for (const headers of [{ origin: PAGE }, { origin: 'https://go.example' }, {}] as Record<string, string>[])
    expect((await post({ authorization, ...headers })).status, headers.origin).toBe(200);
});

describe('pages of an allowed origin', () => {
  test('send a preflight without a key', async () => {
    for (const origin of [PAGE, 'https://go.example']) {
      const response = await preflight(origin);
      expect(response.status).toBe(204);
      expect(response.headers.get('access-control-allow-origin')).toBe(origin);
      expect(response.headers.get('access-control-allow-methods')).toBe('POST');
      expect(response.headers.get('access-control-allow-headers')).toBe(
        'authorization, content-type, mcp-protocol-version',
      );
      expect(response.headers.get('vary')).toMatch(/origin/i);
      expect(response.headers.get('access-control-allow-credentials')).toBeNull();
      expect(await response.text()).toBe('');
    }
  });

  test('read responses and errors, with the exposed headers', async () => {
    for (const response of [
      await post({ origin: PAGE, authorization: `Bearer ${key}` }),
      await post({ origin: PAGE }),
      await gateway.get('/mcp', key, { origin: PAGE }),
    ]) {
      expect(response.headers.get('access-control-allow-origin')).toBe(PAGE);
      const exposed = response.headers.get('access-control-expose-headers')!.split(', ');
      for (const name of ['WWW-Authenticate', 'X-Request-Id', 'RateLimit', 'Retry-After'])
        expect(exposed).toContain(name);
      expect(response.headers.get('vary')).toMatch(/origin/i);
    }
  });
});

test('without a key, other origins and an OPTIONS that is not a preflight are refused', async () => {
  const refused = await preflight('https://evil.example');
  expect(refused.status).toBe(401);
  expect(refused.headers.get('access-control-allow-origin')).toBeNull();
  expect((await preflight('https://evil.example', { authorization: `Bearer ${key}` })).status).toBe(403);
  expect((await fetch(`${gateway.url}/mcp`, { method: 'OPTIONS', headers: { origin: PAGE } })).status).toBe(401);
  expect((await fetch(`${gateway.url}/mcp`, { method: 'OPTIONS' })).status).toBe(401);
});
