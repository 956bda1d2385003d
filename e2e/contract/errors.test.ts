import { request as httpRequest } from 'node:http';
import { describe, expect, test } from 'vitest';
import { api, createAccount, createLink, request, stack } from '../support/world.ts';
import { type Answered, DocumentOracle } from './document-oracle.ts';

// docs/api.md, Errors: every error is JSON with exactly one field.

const { live } = await createAccount();

describe('every failure is JSON with exactly one field', () => {
  const json = { 'content-type': 'application/json' };
  const gzip = { 'content-encoding': 'gzip' };
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
    ['a compressed body', 422, '/api/v1/links', { method: 'POST', body: '{}', headers: { ...json, ...gzip } }],
    [
      'a compressed file',
      422,
      '/api/v1/jobs/import',
      { method: 'POST', body: 'url', headers: { 'content-type': 'text/csv', ...gzip } },
    ],
    ['a compressed body without a key', 401, '/api/v1/links', { method: 'POST', body: '{}', key: '', headers: gzip }],
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

test('a method that a path does not have is 404, and the message names those that it has', async () => {
  for (const [method, path, methods] of [
    ['PATCH', '/api/v1/links/019a4f0e', 'PATCH, only GET, HEAD, PUT and DELETE'],
    ['PUT', '/api/v1/links', 'PUT, only GET, HEAD and POST'],
    ['POST', '/api/v1/me', 'POST, only GET and HEAD'],
    ['POST', '/api/v1/analytics', 'POST, only GET and HEAD'],
  ] as const) {
    const { status, body } = await request(path, { method, key: live, json: {} });
    expect([status, body]).toEqual([404, { error: `Not found: this path does not support ${methods}.` }]);
    expect((await request(path, { method })).status).toBe(401);
  }
});

test('a query parameter that a path does not have is 422, and nothing is done', async () => {
  const link = await createLink(live, {});
  for (const [method, path, json] of [
    ['GET', '/api/v1/me', undefined],
    ['POST', '/api/v1/links', { destination_url: 'https://example.com/' }],
    ['PUT', `/api/v1/links/${link.id}`, { title: 'x' }],
    ['DELETE', `/api/v1/links/${link.id}`, undefined],
    ['POST', '/api/v1/links/bulk', { operations: [{ op: 'delete', id: link.id }] }],
    ['GET', '/api/v1/links', undefined],
  ] as const)
    for (const name of ['utm_source', 'Page', '__proto__', 'constructor']) {
      const { status, body } = await request<{ error: string }>(`${path}?${name}=1`, { method, key: live, json });
      expect([method, path, status, body.error]).toEqual([method, path, 422, expect.stringContaining(`"${name}"`)]);
    }
  expect((await api(live).get(link.id)).body).toEqual(link);
});
