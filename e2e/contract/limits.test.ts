import { Client as Client2026, StreamableHTTPClientTransport as Transport2026 } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Service, startGateway } from '../mcp/support/services.ts';
import { connectMcp } from '../support/mcp.ts';
import { createAccount, request } from '../support/world.ts';

// docs/api.md, Limits: the defaults of a gateway without any limit settings, and what an agent reads at a limit.

const account = await createAccount();
let gateway: Service;
let base: string;
beforeAll(async () => {
  // An empty variable counts as not set.
  gateway = await startGateway({ RATE_LIMIT_PER_MINUTE: '', AUTH_FAILURES_PER_MINUTE: '' });
  base = gateway.origin;
});
afterAll(() => gateway?.stop());

test('"`RATE_LIMIT_PER_MINUTE` (default 600) for each key … answered with `RateLimit` headers"', async () => {
  const first = await request('/api/v1/me', { base, key: account.live });
  expect(first.status).toBe(200);
  expect(first.headers.get('ratelimit-policy')).toBe('"key";q=600;w=60');
  const [, left, resetSeconds] = /^"key";r=(\d+);t=(\d+)$/.exec(first.headers.get('ratelimit') ?? '') ?? [];
  expect(Number(left)).toBeLessThan(600);
  expect(Number(left)).toBeGreaterThan(590);
  expect(Number(resetSeconds)).toBeLessThanOrEqual(60);
  // Each key of the account has its own limit.
  const other = await request('/api/v1/me', { base, key: account.public });
  expect(other.headers.get('ratelimit')).toMatch(/^"key";r=599;/);
});

test('"`AUTH_FAILURES_PER_MINUTE` (default 60) for each address", then 429 with Retry-After, while valid keys still work', async () => {
  const failures = await Promise.all(Array.from({ length: 60 }, () => request('/api/v1/me', { base, key: 'none' })));
  expect(new Set(failures.map(({ status }) => status))).toEqual(new Set([401]));
  const refused = await request<{ error: string }>('/api/v1/me', { base, key: 'none' });
  expect([refused.status, Object.keys(refused.body)]).toEqual([429, ['error']]);
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(Number(refused.headers.get('retry-after'))).toBeLessThanOrEqual(60);
  expect((await request('/api/v1/me', { base, key: account.live })).status).toBe(200);
});

test('a key without requests left gets a tool result with the seconds to wait, in clients of both SDKs', async () => {
  const gateway = await startGateway({ RATE_LIMIT_PER_MINUTE: '20' });
  const mcp = await connectMcp((await createAccount()).live, gateway.origin);
  const modern = new Client2026(
    { name: 'waymark-failures', version: '1.0.0' },
    { versionNegotiation: { mode: { pin: '2026-07-28' } } },
  );
  const headers = { Authorization: `Bearer ${(await createAccount()).live}` };
  await modern.connect(new Transport2026(new URL(`${gateway.origin}/mcp`), { requestInit: { headers } }));
  const clients = [
    () => mcp.call('get_me'),
    async () => {
      const { isError, content } = await modern.callTool({ name: 'get_me', arguments: {} });
      return { isError: isError === true, text: (content as { text: string }[])[0]!.text };
    },
  ];
  for (const call of clients) {
    let outcome = await call();
    for (let n = 0; n < 20 && !outcome.isError; n += 1) outcome = await call();
    expect(outcome).toMatchObject({
      isError: true,
      text: expect.stringMatching(/^This key or session may make 20 requests per minute; try again in \d+ seconds?\.$/),
    });
  }
  await Promise.all([mcp.close(), modern.close()]);
  await gateway.stop();
});
