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

describe('docs/api.md, Authentication', () => {
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
  test('while a key is rotated, every request is served or gets 401, and the new key works at once', async () => {
    const other = await createAccount();
    const running = Array.from({ length: 10 }, async () => (await api(other.live).me()).status);
    const { key } = await accounts.rotateKey({ username: other.username, scope: 'full_access' }, await asAdmin());
    expect((await api(key).me()).status).toBe(200);
    for (const status of await Promise.all(running)) expect([200, 401]).toContain(status);
    await eventually(async () => expect((await api(other.live).me()).status).toBe(401));
    expect((await api(other.public).me()).status).toBe(200);
  });
});

describe('docs/api.md, Errors: "the message says what is wrong and which field", what was sent and what is allowed', () => {
  const MESSAGES: [object, string][] = [
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
  ];
  test('of each field', async () => {
    for (const [body, message] of MESSAGES) {
      const answer = await rest.create(body);
      expect.soft([answer.status, answer.body]).toEqual([422, { error: message }]);
    }
  });
  test('a long value is shortened', async () => {
    const error = errorOf(await rest.create({ destination_url: `nowhere-${'y'.repeat(1_500)}` }));
    expect(error.length).toBeLessThan(250);
    expect(error).toContain('nowhere-yyy');
  });
  const BODIES: [string, string | undefined, Record<string, string>][] = [
    ['white space', ' \n', { 'content-type': 'application/json' }],
    ['two objects', '{}{}', { 'content-type': 'application/json' }],
    ['a comment', '{/**/}', { 'content-type': 'application/json' }],
    ['not UTF-8', '\u0000\uffff{', { 'content-type': 'application/json' }],
    ['plain text', '{}', { 'content-type': 'text/plain' }],
    ['a content type that is none', '{}', { 'content-type': 'json' }],
    ['deep nesting', `{"title":${'['.repeat(20_000)}${']'.repeat(20_000)}}`, { 'content-type': 'application/json' }],
    [
      'a field that reaches for a prototype',
      '{"constructor":{"prototype":{}}}',
      { 'content-type': 'application/json' },
    ],
  ];
  test('a body that is no object of JSON gets 422', async () => {
    for (const [what, body, headers] of BODIES) {
      const answer = await post(body, headers);
      expect([what, answer.status, Object.keys(answer.body)]).toEqual([what, 422, ['error']]);
    }
    for (const type of ['application/json', 'application/json; charset=utf-8', 'APPLICATION/JSON;charset=UTF-8'])
      expect((await post(JSON.stringify({ destination_url }), { 'content-type': type })).status, type).toBe(201);
  });
  test('a body over 64 KiB gets 413, and one of exactly 64 KiB is read', async () => {
    const body = (length: number) => `{"destination_url":"https://e.com"}`.padEnd(length, ' ');
    expect((await post(body(65_536))).status).toBe(201);
    expect((await post(body(65_537))).status).toBe(413);
  });
});
