import { generateKey } from '@waymark/auth';
import { afterEach, expect, test } from 'vitest';
import { errorOf, startGateway, type TestGateway } from './gateway.ts';

let gateway: TestGateway;
afterEach(() => gateway.close());

test('RATE_LIMIT_PER_MINUTE for each key, one budget for both doors, answered with RateLimit headers', async () => {
  gateway = await startGateway({ RATE_LIMIT_PER_MINUTE: 5 });
  const key = gateway.accounts.addKey({ username: 'ada' });
  const left: (string | null)[] = [];
  for (const path of ['/api/v1/me', '/mcp', '/api/v1/analytics', '/api/nothing', '/mcp']) {
    const response = await gateway.get(path, key);
    expect(response.status).not.toBe(429);
    expect(response.headers.get('ratelimit-policy')).toBe('"key";q=5;w=60');
    left.push(/^"key";r=(\d);t=(?:60|59|58)$/.exec(response.headers.get('ratelimit')!)![1]!);
  }
  expect(left).toEqual(['4', '3', '2', '1', '0']);
  for (const path of ['/api/v1/me', '/mcp']) {
    const refused = await gateway.get(path, key);
    expect(refused.status).toBe(429);
    expect(refused.headers.get('ratelimit')).toMatch(/^"key";r=0;t=\d+$/);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(50);
    expect(await errorOf(refused)).toContain('5 requests a minute');
  }
  expect((await gateway.get('/api/v1/me', gateway.accounts.addKey({ username: 'ada' }))).status).toBe(200);
  expect((await gateway.get('/abc')).status).toBe(200);
});

test('each message of a batch over MCP counts as a request of the key', async () => {
  gateway = await startGateway({ RATE_LIMIT_PER_MINUTE: 5 });
  const key = gateway.accounts.addKey({ username: 'ada' });
  const send = (messages: number) => {
    const body = JSON.stringify(Array.from({ length: messages }, (_, id) => ({ jsonrpc: '2.0', id, method: 'ping' })));
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    return fetch(`${gateway.url}/mcp`, { method: 'POST', headers, body });
  };
  const passed = await send(3);
  expect([passed.status, passed.headers.get('ratelimit')]).toEqual([200, expect.stringMatching(/^"key";r=2;/)]);
  const refused = await send(3);
  expect([refused.status, refused.headers.get('ratelimit')]).toEqual([429, expect.stringMatching(/^"key";r=0;/)]);
  expect(gateway.mcp.received).toHaveLength(1);
});

test('AUTH_FAILURES_PER_MINUTE for each address: 429 before a lookup; valid keys in use are not locked out', async () => {
  gateway = await startGateway({ AUTH_FAILURES_PER_MINUTE: 4, TRUST_PROXY: ['127.0.0.1'] });
  const key = gateway.accounts.addKey({ username: 'ada' });
  const from = (address: string) => ({ 'x-forwarded-for': address });
  expect((await gateway.get('/api/v1/me', key, from('203.0.113.1'))).status).toBe(200);
  for (const bad of [undefined, 'key_live_short', generateKey('full_access'), generateKey('full_access')]) {
    expect((await gateway.get('/api/v1/me', bad, from('203.0.113.1'))).status).toBe(401);
  }
  const lookups = gateway.accounts.lookups;
  for (const bad of [undefined, 'key_live_short', generateKey('full_access')]) {
    const refused = await gateway.get('/mcp', bad, from('203.0.113.1'));
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(50);
    expect(refused.headers.get('ratelimit')).toMatch(/^"address";r=0;t=\d+$/);
    await errorOf(refused);
  }
  expect(gateway.accounts.lookups).toBe(lookups);
  expect((await gateway.get('/api/v1/me', key, from('203.0.113.1'))).status).toBe(200);
  expect((await gateway.get('/api/v1/me', generateKey('full_access'), from('203.0.113.2'))).status).toBe(401);
});

test('0 turns a limit off, and its headers too', async () => {
  gateway = await startGateway({ RATE_LIMIT_PER_MINUTE: 0, AUTH_FAILURES_PER_MINUTE: 0 });
  const key = gateway.accounts.addKey({ username: 'ada' });
  const response = await gateway.get('/api/v1/me', key);
  expect(response.headers.get('ratelimit')).toBeNull();
  const statuses = await Promise.all(Array.from({ length: 80 }, async () => (await gateway.get('/api/v1/me')).status));
  expect(new Set(statuses)).toEqual(new Set([401]));
});
