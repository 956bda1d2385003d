import { generateKey } from '@waymark/auth';
import { PLAN_FORBIDDEN_MESSAGE, UNAUTHENTICATED_MESSAGE } from '@waymark/contract';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { errorOf, startGateway, type TestGateway } from './gateway.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.close());
beforeEach(() => {
  gateway.accounts.lookups = 0;
  for (const service of [gateway.links, gateway.analytics, gateway.mcp]) service.received.length = 0;
});

const UNACCEPTABLE: [string, string | undefined][] = [
  ['missing', undefined],
  ['empty', ''],
  ['of another scheme', 'Basic YTpi'],
  ['without a scheme', generateKey('full_access')],
  ['malformed', 'Bearer key_live_short'],
  ['with a wrong prefix', `Bearer key_test_${'a'.repeat(40)}`],
  ['unknown', `Bearer ${generateKey('full_access')}`],
  ['unknown, public', `Bearer ${generateKey('public_links_only')}`],
  ['two keys', `Bearer ${generateKey('full_access')}, Bearer ${generateKey('full_access')}`],
];

describe.each(['/api/v1/me', '/mcp'])('%s', (path) => {
  test.each(UNACCEPTABLE)(
    'the response is 401 with the same body for a key that is %s',
    async (_what, authorization) => {
      const response = await gateway.get(path, undefined, authorization === undefined ? {} : { authorization });
      expect(response.status).toBe(401);
      expect(response.headers.get('www-authenticate')).toBe(
        path === '/mcp' ? 'Bearer realm="waymark", error="invalid_token"' : 'Bearer',
      );
      expect(await errorOf(response)).toBe(UNAUTHENTICATED_MESSAGE);
      expect(gateway.links.received.length + gateway.mcp.received.length).toBe(0);
    },
  );

  test('the case of the scheme is ignored', async () => {
    const key = gateway.accounts.addKey({ username: 'case' });
    for (const scheme of ['Bearer', 'bearer', 'BEARER']) {
      expect((await gateway.get(path, undefined, { authorization: `${scheme} ${key}` })).status).toBe(200);
    }
  });

  test.each(['free', 'starter'] as const)(
    'an account below the Developer plan gets 403 (%s) without a challenge',
    async (plan) => {
      const response = await gateway.get(path, gateway.accounts.addKey({ username: plan, plan }));
      expect(response.status).toBe(403);
      expect(response.headers.get('www-authenticate')).toBeNull();
      expect(await errorOf(response)).toBe(PLAN_FORBIDDEN_MESSAGE);
    },
  );

  test.each(['developer', 'business'] as const)('%s may pass', async (plan) => {
    expect((await gateway.get(path, gateway.accounts.addKey({ username: plan, plan }))).status).toBe(200);
  });
});

test('/mcp checks the key before method, body and content type', async () => {
  for (const method of ['GET', 'DELETE', 'PUT', 'OPTIONS']) {
    expect((await fetch(`${gateway.url}/mcp`, { method })).status, method).toBe(401);
  }
  const big = await fetch(`${gateway.url}/mcp`, { method: 'POST', body: 'x'.repeat(300 * 1024) });
  expect(big.status).toBe(401);
});

test('a 401 takes the same time for a missing, malformed, unknown and revoked key', async () => {
  const revoked = gateway.accounts.addKey({ username: 'revoked' });
  gateway.accounts.revoke(revoked);
  const kinds = [
    () => undefined,
    () => 'Bearer key_live_x',
    () => `Bearer ${generateKey('full_access')}`,
    () => `Bearer ${revoked}`,
  ];
  const times = kinds.map(() => [] as number[]);
  for (let round = 0; round < 15; round++) {
    for (const [kind, authorization] of kinds.entries()) {
      const value = authorization();
      const startedAt = performance.now();
      await (await gateway.get('/api/v1/me', undefined, value === undefined ? {} : { authorization: value })).text();
      times[kind]!.push(performance.now() - startedAt);
    }
  }
  // A busy machine can delay any request, but not every one of a kind.
  const least = times.map((one) => Math.min(...one));
  expect(Math.min(...least)).toBeGreaterThanOrEqual(25);
  expect(Math.max(...least) - Math.min(...least)).toBeLessThan(12);
});

test('concurrent requests share one lookup of their key, and its result is cached', async () => {
  const key = gateway.accounts.addKey({ username: 'many' });
  gateway.accounts.delayMs = 50;
  const statuses = await Promise.all(
    Array.from({ length: 20 }, async () => (await gateway.get('/api/v1/me', key)).status),
  );
  gateway.accounts.delayMs = 0;
  expect(new Set(statuses)).toEqual(new Set([200]));
  expect((await gateway.get('/api/v1/me', key)).status).toBe(200);
  expect(gateway.accounts.lookups).toBe(1);
});

test('a malformed key is never looked up', async () => {
  await gateway.get('/api/v1/me', 'key_live_short');
  await gateway.get('/api/v1/me');
  expect(gateway.accounts.lookups).toBe(0);
});

test('a revoked key stops working, and a plan change takes effect', async () => {
  const revoked = gateway.accounts.addKey({ username: 'leaving' });
  const lowered = gateway.accounts.addKey({ username: 'lowered' });
  const added = gateway.accounts.addKey({ username: 'waiting', plan: 'free' });
  expect((await gateway.get('/api/v1/me', revoked)).status).toBe(200);
  expect((await gateway.get('/api/v1/me', lowered)).status).toBe(200);
  expect((await gateway.get('/api/v1/me', added)).status).toBe(403);
  gateway.accounts.revoke(revoked);
  gateway.accounts.setPlan('lowered', 'starter');
  gateway.accounts.setPlan('waiting', 'business');
  await new Promise((resolve) => setTimeout(resolve, 2200));
  expect((await gateway.get('/api/v1/me', revoked)).status).toBe(401);
  expect((await gateway.get('/api/v1/me', lowered)).status).toBe(403);
  expect((await gateway.get('/api/v1/me', added)).status).toBe(200);
});

test('if a service rejects the gateway’s identity, the client gets 503 and not 401', async () => {
  const key = gateway.accounts.addKey({ username: 'rotated' });
  gateway.links.on('/api/v1/links/unbelieved', (_request, response) => {
    response.writeHead(401, { 'content-type': 'application/json', 'www-authenticate': 'Bearer' }).end('{"error":"no"}');
  });
  const response = await gateway.get('/api/v1/links/unbelieved', key);
  expect([response.status, response.headers.get('www-authenticate')]).toEqual([503, null]);
  await errorOf(response);
});
