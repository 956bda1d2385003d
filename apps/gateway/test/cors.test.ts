import { afterAll, beforeAll, expect, test } from 'vitest';
import { startGateway, type TestGateway } from './gateway.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.close());

test('a CORS preflight for /api/ needs no key', async () => {
  for (const path of ['/api/v1/links', '/api/v1/links/1', '/api/v1/analytics', '/api/anything']) {
    const response = await fetch(gateway.url + path, {
      method: 'OPTIONS',
      headers: {
        origin: 'https://app.example',
        'access-control-request-method': 'PUT',
        'access-control-request-headers': 'authorization, content-type, idempotency-key',
      },
    });
    expect(response.status).toBe(204);
    expect(response.headers.get('access-control-allow-origin')).toBe('*');
    expect(response.headers.get('access-control-allow-methods')).toContain('PUT');
    expect(response.headers.get('access-control-allow-headers')).toContain('idempotency-key');
    expect(response.headers.get('access-control-allow-credentials')).toBeNull();
  }
  expect((await fetch(`${gateway.url}/api/v1/links`, { method: 'OPTIONS' })).status).toBe(204);
});

test('any origin may read responses and errors of /api/, with the exposed headers', async () => {
  const key = gateway.accounts.addKey({ username: 'ada' });
  for (const response of [
    await gateway.get('/api/v1/me', key, { origin: 'https://app.example' }),
    await gateway.get('/api/v1/me', undefined, { origin: 'https://app.example' }),
    await gateway.get('/api/nothing', key, { origin: 'https://app.example' }),
  ]) {
    expect(response.headers.get('access-control-allow-origin')).toBe('*');
    const exposed = response.headers.get('access-control-expose-headers')!;
    for (const name of ['Link', 'Location', 'X-Request-Id', 'RateLimit', 'RateLimit-Policy', 'Retry-After']) {
      expect(exposed.split(', ')).toContain(name);
    }
  }
});

test('no path outside /api/ allows other origins', async () => {
  const key = gateway.accounts.addKey({ username: 'ada' });
  for (const path of ['/mcp', '/abc', '/openapi.json', '/docs', '/readyz', '/nothing/here']) {
    const response = await gateway.get(path, key, { origin: 'https://app.example' });
    expect(response.headers.get('access-control-allow-origin'), path).toBeNull();
  }
});
