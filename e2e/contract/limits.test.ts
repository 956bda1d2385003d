import { afterAll, beforeAll, expect, test } from 'vitest';
import { type OwnStack, startOwnStack } from '../support/own-stack.ts';
import { request } from '../support/world.ts';

// docs/api.md, Limits: the defaults of a stack without any limit settings.

let own: OwnStack;
let base: string;
beforeAll(async () => {
  // An empty variable counts as not set.
  own = await startOwnStack({ env: { RATE_LIMIT_PER_MINUTE: '', AUTH_FAILURES_PER_MINUTE: '' } });
  base = own.stack.urls.gateway;
});
afterAll(() => own?.close());

test('"`RATE_LIMIT_PER_MINUTE` (default 600) for each key … answered with `RateLimit` headers"', async () => {
  const first = await request('/api/v1/me', { base, key: own.key });
  expect(first.status).toBe(200);
  expect(first.headers.get('ratelimit-policy')).toBe('"key";q=600;w=60');
  const [, left, resetSeconds] = /^"key";r=(\d+);t=(\d+)$/.exec(first.headers.get('ratelimit') ?? '') ?? [];
  expect(Number(left)).toBeLessThan(600);
  expect(Number(left)).toBeGreaterThan(590);
  expect(Number(resetSeconds)).toBeLessThanOrEqual(60);
  // Each key of the account has its own limit.
  const other = await request('/api/v1/me', { base, key: own.publicKey });
  expect(other.headers.get('ratelimit')).toMatch(/^"key";r=599;/);
});

test('"`AUTH_FAILURES_PER_MINUTE` (default 60) for each address", then 429 with Retry-After, while valid keys still work', async () => {
  const failures = await Promise.all(Array.from({ length: 60 }, () => request('/api/v1/me', { base, key: 'none' })));
  expect(new Set(failures.map(({ status }) => status))).toEqual(new Set([401]));
  const refused = await request<{ error: string }>('/api/v1/me', { base, key: 'none' });
  expect([refused.status, Object.keys(refused.body)]).toEqual([429, ['error']]);
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(Number(refused.headers.get('retry-after'))).toBeLessThanOrEqual(60);
  expect((await request('/api/v1/me', { base, key: own.key })).status).toBe(200);
});
