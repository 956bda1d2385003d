import { afterAll, beforeAll, expect, test } from 'vitest';
import { Service, type TestAccount } from './support/service.ts';

// docs/api.md, Errors: a query parameter that the path does not have is 422, and the request does nothing.

let service: Service;
let account: TestAccount;
beforeAll(async () => {
  service = await Service.start();
  account = await service.createAccount();
});
afterAll(() => service.close());

const NO_PARAMETERS = [
  ['GET', '/api/v1/me'],
  ['HEAD', '/api/v1/me'],
  ['POST', '/api/v1/links'],
  ['GET', '/api/v1/links/{id}'],
  ['PUT', '/api/v1/links/{id}'],
  ['DELETE', '/api/v1/links/{id}'],
  ['POST', '/api/v1/links/bulk'],
  ['GET', '/api/v1/me/keys'],
  ['POST', '/api/v1/me/keys/full_access/rotate'],
  ['DELETE', '/api/v1/me/keys/public_links_only'],
  ['DELETE', '/api/v1/sessions/current'],
] as const;

test.each(NO_PARAMETERS)('%s %s refuses every query parameter with 422, and does nothing', async (method, path) => {
  const link = await service.createLink(account.live);
  const session = { ...account.live, sessionId: 'a'.repeat(64) };
  const state = async () => [
    (await service.list(account.live)).body,
    (await service.request(session, 'GET', '/api/v1/me/keys')).body,
  ];
  const before = await state();
  const bodies: Record<string, object> = {
    '/api/v1/links': { destination_url: 'https://example.com/' },
    '/api/v1/links/{id}': { title: 'x' },
    '/api/v1/links/bulk': { operations: [{ op: 'delete', id: link.id }] },
  };
  for (const query of ['utm_source=x', 'page=1', 'page=1&page=2', 'id=', '=', '__proto__=1', 'constructor']) {
    const answer = await service.request(session, method, `${path.replace('{id}', link.id)}?${query}`, {
      ...(['POST', 'PUT'].includes(method) && { body: bodies[path] }),
    });
    expect([query, answer.status]).toEqual([query, 422]);
    if (method !== 'HEAD') expect(answer.body.error).toContain(`"${new URLSearchParams(query).keys().next().value}"`);
  }
  expect(await state()).toEqual(before);
  expect((await service.request(account.live, 'GET', '/api/v1/me?')).status).toBe(200);
});

test.each(['limit', 'Page'])(
  'a list refuses the unknown parameter %s with 422 and names the known ones',
  async (name) => {
    const answer = await service.list(account.live, { [name]: 5 });
    expect([answer.status, answer.body]).toEqual([
      422,
      {
        error: `"${name}" is not a known field; the known ones are q, hashtag, visibility, domain, archived, host, created_before, created_after, expired, destination_url, last_clicked_before, fields, page, per, sort, dir.`,
      },
    ]);
  },
);

test('a request without an identity gets 401, whatever its parameters', async () => {
  expect((await service.request(null, 'GET', '/api/v1/links?limit=5')).status).toBe(401);
  expect((await service.request(null, 'GET', '/api/v1/me?x=1')).status).toBe(401);
});

test('a redirect accepts any parameters', async () => {
  const link = await service.createLink(account.live);
  const { status, headers } = await service.request(null, 'GET', `/${link.slug}?utm_source=x&limit=5&limit=6`);
  expect([status, headers.get('location')]).toEqual([302, 'https://example.com/?utm_source=x&limit=5&limit=6']);
});
