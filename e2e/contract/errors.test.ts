import { request as httpRequest } from 'node:http';
import { describe, expect, test } from 'vitest';
import { api, createAccount, createLink, request, stack } from '../support/world.ts';
import { type Answered, DocumentOracle } from './document-oracle.ts';

// docs/api.md, Errors: every error is JSON with exactly one field.

const { live } = await createAccount();

describe('every failure is JSON with exactly one field', () => {
  const json = { 'content-type': 'application/json' };
  const FAILURES: [string, number, string, Parameters<typeof request>[1]][] = [
    ['an unknown path', 404, '/api/v1/nothing', {}],
    ['an unknown path with a slash', 404, '/a/b/c', {}],
    ['a method that the path does not have', 404, '/api/v1/me', { method: 'POST', json: {} }],
    ['PATCH on a link', 404, '/api/v1/links/x', { method: 'PATCH', json: {} }],
    ['an unknown link', 404, '/api/v1/links/x', {}],
    ['an unknown slug', 404, '/no-such-slug', {}],
    ['a broken percent-encoding', 404, '/api/v1/links/%E0%A4%A', {}],
    ['malformed JSON', 422, '/api/v1/links', { method: 'POST', body: '{', headers: json }],
    ['an empty body', 422, '/api/v1/links', { method: 'POST', body: '', headers: json }],
    ['a body that is no object', 422, '/api/v1/links', { method: 'POST', json: [1] }],
    [
      'another content type',
      422,
      '/api/v1/links',
      { method: 'POST', body: 'a=b', headers: { 'content-type': 'application/x-www-form-urlencoded' } },
    ],
    ['no content type', 422, '/api/v1/links', { method: 'POST', body: '{}', headers: { 'content-type': '' } }],
    [
      'an unknown body field',
      422,
      '/api/v1/links',
      { method: 'POST', json: { destination_url: 'https://e.com', x: 1 } },
    ],
    [
      'a polluting body',
      422,
      '/api/v1/links',
      { method: 'POST', body: '{"__proto__":{"x":1},"destination_url":"https://e.com"}', headers: json },
    ],
    ['a bad value', 422, '/api/v1/links?per=0', {}],
    [
      'a body over 64 KiB',
      413,
      '/api/v1/links',
      { method: 'POST', json: { destination_url: 'https://e.com', note: 'x'.repeat(70_000) } },
    ],
  ];
  test('whatever caused it', async () => {
    for (const [what, status, path, options] of FAILURES) {
      const answer = await request<{ error: string }>(path, { key: live, ...options });
      expect([what, answer.status, Object.keys(answer.body)]).toEqual([what, status, ['error']]);
      expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
      expect(answer.body.error).toMatch(/\S.*[.!]$/);
      expect(answer.body.error).not.toMatch(/127\.0\.0\.1|localhost|node_modules|at .*:\d+/);
      expect(answer.headers.get('x-request-id')).toBeTruthy();
    }
  });
});

test('a chunked body over 64 KiB gets 413 too', async () => {
  const chunk = new TextEncoder().encode(`"${'x'.repeat(16_000)}",`);
  const response = await fetch(new URL('/api/v1/links', stack.publicUrl), {
    method: 'POST',
    headers: { authorization: `Bearer ${live}`, 'content-type': 'application/json' },
    body: new ReadableStream({
      start(controller) {
        controller.enqueue(new TextEncoder().encode('{"hashtags":['));
        for (let n = 0; n < 8; n += 1) controller.enqueue(chunk);
        controller.enqueue(new TextEncoder().encode('"x"]}'));
        controller.close();
      },
    }),
    duplex: 'half',
  } as RequestInit);
  expect(response.status).toBe(413);
  expect(Object.keys((await response.json()) as object)).toEqual(['error']);
});

test('an unexpected or too large body gets a response of the OpenAPI document', async () => {
  const { body: document } = await request<{ paths: Record<string, object> }>('/openapi.json');
  const oracle = new DocumentOracle(document);
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.keys(methods)
      .filter((method) => method !== 'parameters')
      .map((method) => ({ method: method.toUpperCase(), path })),
  );
  /** Sends a form of `length` bytes. Unless `isWhole`, Content-Length announces one more byte, which never follows. */
  const send = (method: string, path: string, length: number, isWhole: boolean) =>
    new Promise<Answered>((resolve, reject) => {
      const headers = {
        authorization: `Bearer ${live}`,
        'content-type': 'application/x-www-form-urlencoded',
        'content-length': isWhole ? length : length + 1,
      };
      const sent = httpRequest(new URL(path, stack.publicUrl), { method, headers, agent: false }, async (response) => {
        const body = Buffer.concat(await response.toArray());
        sent.destroy();
        resolve({ status: response.statusCode!, headers: response.headers, body });
      });
      sent.on('error', reject);
      sent.write('x'.repeat(length));
      if (isWhole) sent.end();
    });
  await Promise.all(
    operations.map(async ({ method, path }) => {
      const { id, slug } = await createLink(live, {});
      const asked = { method, path: path.replace('{id}', id).replace('{slug}', slug) };
      for (const [length, isWhole] of [
        [65_537, true],
        [10, false],
        [10, true],
      ] as const) {
        const answer = await send(method, asked.path, length, isWhole);
        const what = `${method} ${path}, ${length} bytes: ${answer.status} ${answer.body}`;
        expect.soft(oracle.difference(asked, answer), what).toBeUndefined();
      }
    }),
  );
});

describe('an empty body counts as no body, whatever its content type', async () => {
  const { body: document } = await request<{ paths: Record<string, Record<string, { requestBody?: object }>> }>(
    '/openapi.json',
  );
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([method, { requestBody }]) => ['post', 'put', 'delete'].includes(method) && requestBody === undefined)
      .map(([method]) => ({ method: method.toUpperCase(), path })),
  );
  test('where there is none', async () => {
    for (const { method, path } of operations)
      for (const type of ['application/json', 'application/x-www-form-urlencoded', 'text/plain']) {
        const { id } = await createLink(live, {});
        const asked = path.replace('{id}', id).replace('{scope}', 'full_access');
        const headers = { 'content-type': type };
        const { status, body } = await request(asked, { method, key: live, body: '', headers });
        expect.soft([200, 204, 403, 404], `${method} ${path}: ${JSON.stringify(body)}`).toContain(status);
      }
  });

  test('where one is needed, which the response says', async () => {
    for (const [method, path] of [
      ['POST', '/api/v1/links'],
      ['PUT', '/api/v1/links/x'],
      ['POST', '/api/v1/jobs'],
      ['POST', '/api/v1/sessions'],
    ] as const) {
      const headers = { 'content-type': 'application/json' };
      const { status, body } = await request(path, { method, key: live, body: '', headers });
      expect([path, status, body]).toEqual([path, 422, { error: 'The request must be a JSON object.' }]);
    }
  });
});

test('X-Request-Id is the client’s own if that is valid, else a new one', async () => {
  const sent = await request('/api/v1/me', { key: live, headers: { 'x-request-id': 'my-id.42' } });
  expect(sent.headers.get('x-request-id')).toBe('my-id.42');
  const long = await request('/api/v1/me', { key: live, headers: { 'x-request-id': 'x'.repeat(1_000) } });
  expect(long.headers.get('x-request-id')).toMatch(/^[\w.-]{8,64}$/);
  const made = await request('/api/v1/me', { key: live });
  expect(made.headers.get('x-request-id')).toMatch(/^[\w.-]{8,64}$/);
  expect(made.headers.get('x-request-id')).not.toBe(long.headers.get('x-request-id'));
});

test('HEAD works where GET does', async () => {
  for (const path of ['/api/v1/me', '/api/v1/links', '/api/v1/analytics', '/openapi.json', '/readyz']) {
    const [head, get] = [await request(path, { method: 'HEAD', key: live }), await request(path, { key: live })];
    expect(head.status, path).toBe(get.status);
    expect(head.body).toBe('');
    expect(head.headers.get('content-type')).toBe(get.headers.get('content-type'));
  }
});

test('/api/ allows CORS, and a preflight needs no key', async () => {
  const preflight = await request('/api/v1/links', {
    method: 'OPTIONS',
    headers: {
      origin: 'https://app.example',
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization,content-type',
    },
  });
  expect(preflight.status).toBe(204);
  expect(preflight.headers.get('access-control-allow-origin')).toBe('*');
  expect(preflight.headers.get('access-control-allow-headers')?.toLowerCase()).toContain('authorization');
  const actual = await request('/api/v1/me', { key: live, headers: { origin: 'https://app.example' } });
  expect(actual.headers.get('access-control-allow-origin')).toBe('*');
  expect(actual.headers.get('access-control-allow-credentials')).toBeNull();
});

test('the document, the page and the health routes need no key', async () => {
  const document = await request<{ openapi: string; paths: object }>('/openapi.json');
  expect(document.status).toBe(200);
  expect(document.body.openapi).toMatch(/^3\.1/);
  expect(Object.keys(document.body.paths)).toEqual(
    expect.arrayContaining(['/api/v1/me', '/api/v1/links', '/api/v1/links/{id}', '/api/v1/analytics']),
  );
  const page = await request('/docs');
  expect(page.headers.get('content-type')).toMatch(/^text\/html/);
  for (const path of ['/livez', '/readyz', '/healthz', '/startupz']) expect((await request(path)).status).toBe(200);
});

test('an unauthenticated request below /api/ gets 401, whatever its path', async () => {
  expect((await request('/api/v1/links')).status).toBe(401);
  expect((await request('/api/v1/nothing')).status).toBe(401);
  expect((await api(`${live}x`).me()).status).toBe(401);
});
