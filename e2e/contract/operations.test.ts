import { generateKey } from '@waymark/auth';
import { describe, expect, test } from 'vitest';
import { accounts, api, asAdmin, createAccount, eventually, request } from '../support/world.ts';

// docs/api.md, Authentication and Errors, through the gateway: keys, bodies and the messages of what is refused.
// apps/links-svc/test/links.test.ts has what the operations on links do.

const account = await createAccount();
const rest = api(account.live);
const destination_url = 'https://example.com/';
type Problem = { error: string };
const errorOf = (answer: { body: unknown }) => (answer.body as Problem).error;
const post = (body: string | undefined, headers: Record<string, string> = { 'content-type': 'application/json' }) =>
  request<Problem>('/api/v1/links', {
    method: 'POST',
    key: account.live,
    headers,
    ...(body === undefined ? {} : { body }),
  });

describe('docs/api.md, Authentication: "Bearer <API_KEY> on every request below /api/"', () => {
  const paths = ['/api/v1/me', '/api/v1/links', '/api/v1/links/x', '/api/v1/analytics', '/api/v1', '/api/none'];
  test.each(
    paths.flatMap((path) => ['GET', 'POST', 'PUT', 'DELETE', 'PATCH'].map((method) => [method, path] as const)),
  )('without a key %s %s is 401 with WWW-Authenticate: Bearer', async (method, path) => {
    const answer = await request(path, { method });
    expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
    expect(Object.keys(answer.body as object)).toEqual(['error']);
  });
  test('a key in a query, a cookie or another header is ignored', async () => {
    for (const headers of [
      { cookie: `authorization=Bearer ${account.live}` },
      { 'x-api-key': account.live },
      { authorization: account.live },
    ]) {
      expect((await request(`/api/v1/me?key=${account.live}`, { headers })).status).toBe(401);
    }
  });
  test('"a key is key_live_ or key_pub_ followed by at least 32 random base62 characters"', async () => {
    expect(account.live).toMatch(/^key_live_[0-9A-Za-z]{32,}$/);
    expect(account.public).toMatch(/^key_pub_[0-9A-Za-z]{32,}$/);
  });
  test('the other prefix does not make a key of another scope', async () => {
    const swapped = [account.live.replace('key_live_', 'key_pub_'), account.public.replace('key_pub_', 'key_live_')];
    for (const key of swapped) expect((await request('/api/v1/me', { key })).status).toBe(401);
  });
  test('"each is rotated or revoked on its own", at once on the replica that did it', async () => {
    const other = await createAccount();
    await accounts.revokeKey({ username: other.username, scope: 'public_links_only' }, await asAdmin());
    await eventually(async () => expect((await api(other.public).me()).status).toBe(401), 5_000);
    expect((await api(other.live).me()).status).toBe(200);
  });
  test('while a key is rotated, every request is served or gets 401, and the new key works at once', async () => {
    const other = await createAccount();
    const running = Array.from({ length: 10 }, async () => (await api(other.live).me()).status);
    const { key } = await accounts.rotateKey({ username: other.username, scope: 'full_access' }, await asAdmin());
    expect((await api(key).me()).status).toBe(200);
    for (const status of await Promise.all(running)) expect([200, 401]).toContain(status);
    await eventually(async () => expect((await api(other.live).me()).status).toBe(401), 5_000);
  });
  test('a missing, malformed, unknown and revoked key get the same body', async () => {
    const bodies = new Set<string>();
    for (const authorization of [
      'Bearer x',
      `Bearer ${generateKey('full_access')}`,
      `Bearer ${account.live}x`,
      'Basic eDp5',
      'Bearer',
    ]) {
      bodies.add(JSON.stringify((await request('/api/v1/me', { headers: { authorization } })).body));
    }
    bodies.add(JSON.stringify((await request('/api/v1/me')).body));
    expect(bodies.size).toBe(1);
  });
});

describe('docs/api.md, Errors: "the message says what is wrong and which field", what was sent and what is allowed', () => {
  test.each<[object, string]>([
    [{}, '"destination_url" is required.'],
    [
      { destination_url: 5 },
      '"destination_url" must be a string, an absolute http or https URL with a host and without user info; you sent 5.',
    ],
    [
      { destination_url: 'x' },
      '"destination_url" must be an absolute http or https URL with a host and without user info; you sent "x".',
    ],
    [{ destination_url, slug: 'api' }, '"slug" must be a slug that is not a reserved word; you sent "api".'],
    [
      { destination_url, slug: '-x' },
      '"slug" must be letters, digits, "_" and "-", not beginning with "_" or "-"; you sent "-x".',
    ],
    [{ destination_url, title: 'x'.repeat(201) }, '"title" must be at most 200 characters long; you sent 201.'],
    [{ destination_url, hashtags: 'x' }, '"hashtags" must be an array or null; you sent "x".'],
    [
      { destination_url, hashtags: ['ok', 'a b'] },
      '"hashtags[1]" must be 1 to 50 letters, digits, "_" or "-", and joiners such as "·" between letters (counted after lower-casing); you sent "a b".',
    ],
    [
      { destination_url, visibility: 'x' },
      '"visibility" must be one of public, unlisted, private, password-protected; you sent "x".',
    ],
    [{ destination_url, clicks: 1 }, '"clicks" is read-only and cannot be sent.'],
    [{ destination_url, auto_meta: 1 }, '"auto_meta" must be true or false; you sent 1.'],
    [{ destination_url, password: '' }, '"password" must be 1 to 128 characters long; you sent 0.'],
  ])('%j', async (body, message) => {
    const answer = await rest.create(body);
    expect([answer.status, answer.body]).toEqual([422, { error: message }]);
  });
  test('a long value is shortened', async () => {
    const error = errorOf(await rest.create({ destination_url: `nowhere-${'y'.repeat(1_500)}` }));
    expect(error.length).toBeLessThan(250);
    expect(error).toContain('nowhere-yyy');
  });
  test.each<[string, string | undefined, Record<string, string>]>([
    ['no body', undefined, { 'content-type': 'application/json' }],
    ['white space', ' \n', { 'content-type': 'application/json' }],
    ['two objects', '{}{}', { 'content-type': 'application/json' }],
    ['a comment', '{/**/}', { 'content-type': 'application/json' }],
    ['not UTF-8', '\u0000\uffff{', { 'content-type': 'application/json' }],
    ['a list', '[]', { 'content-type': 'application/json' }],
    ['null', 'null', { 'content-type': 'application/json' }],
    ['a form', 'destination_url=https://e.com', { 'content-type': 'application/x-www-form-urlencoded' }],
    ['plain text', '{}', { 'content-type': 'text/plain' }],
    ['a content type that is none', '{}', { 'content-type': 'json' }],
    ['deep nesting', `{"title":${'['.repeat(20_000)}${']'.repeat(20_000)}}`, { 'content-type': 'application/json' }],
    [
      'a field that reaches for a prototype',
      '{"constructor":{"prototype":{}}}',
      { 'content-type': 'application/json' },
    ],
  ])('422: %s', async (_what, body, headers) => {
    const answer = await post(body, headers);
    expect(answer.status).toBe(422);
    expect(Object.keys(answer.body)).toEqual(['error']);
  });
  test.each(['application/json', 'application/json; charset=utf-8', 'APPLICATION/JSON;charset=UTF-8'])(
    'content type %s',
    async (type) => {
      expect((await post(JSON.stringify({ destination_url }), { 'content-type': type })).status).toBe(201);
    },
  );
  test('a body over 64 KiB gets 413, and one of exactly 64 KiB is read', async () => {
    const body = (length: number) => `{"destination_url":"https://e.com"}`.padEnd(length, ' ');
    expect((await post(body(65_536))).status).toBe(201);
    expect((await post(body(65_537))).status).toBe(413);
  });
  test.each(['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])(
    'a method that the path does not have gets 404: %s',
    async (method) => {
      const has: Record<string, string[]> = {
        '/api/v1/me': [],
        '/api/v1/links': ['POST'],
        '/api/v1/links/x': ['PUT', 'DELETE'],
        '/api/v1/hashtags': [],
        '/api/v1/analytics': [],
      };
      for (const [path, methods] of Object.entries(has)) {
        if (methods.includes(method) || method === 'OPTIONS') continue;
        const answer = await request<Problem>(path, {
          method,
          key: account.live,
          ...(method === 'DELETE' ? {} : { json: {} }),
        });
        expect([path, answer.status]).toEqual([path, 404]);
        expect(Object.keys(answer.body)).toEqual(['error']);
      }
    },
  );
});
