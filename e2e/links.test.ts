import { expect, test } from 'vitest';
import { api, createAccount, createLink, request, stack } from './support/world.ts';

// docs/api.md, Links, from the perspective of a client. Each rule is tested in links-svc.

test('GET /api/v1/me', async () => {
  const account = await createAccount();
  expect((await api(account.live).me()).body).toEqual({
    username: account.username,
    plan: 'developer',
    key_scope: 'full_access',
  });
  expect((await api(account.public).me()).body).toEqual({
    username: account.username,
    plan: 'developer',
    key_scope: 'public_links_only',
  });
});

test('a link with only a destination has every field, null if empty', async () => {
  const { live } = await createAccount();
  const answer = await api(live).create({ destination_url: 'https://example.com/ä b' });
  expect(answer.status).toBe(201);
  const link = answer.body;
  expect(answer.headers.get('location')).toBe(`/api/v1/links/${link.id}`);
  expect(link).toEqual({
    id: expect.any(String),
    slug: expect.stringMatching(/^[A-Za-z0-9]{7}$/),
    short_url: `${stack.publicUrl}/${link.slug}`,
    destination_url: 'https://example.com/ä b',
    title: null,
    description: null,
    note: null,
    hashtags: [],
    visibility: 'public',
    clicks: 0,
    expires_at: null,
    expired_url: null,
    archived: false,
    last_clicked_at: null,
    created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    updated_at: link.created_at,
  });
  expect((await api(live).get(link.id)).body).toEqual(link);
});

test('an update changes only the fields that are sent, and an empty one not even updated_at', async () => {
  const { live } = await createAccount();
  const link = await createLink(live, { title: 'T', description: 'D', note: 'N', hashtags: ['#A', 'a', 'b'] });
  expect(link.hashtags).toEqual(['a', 'b']);
  const unchanged = await api(live).update(link.id, {});
  expect(unchanged.status).toBe(200);
  expect(unchanged.body).toEqual(link);
  const { body: changed } = await api(live).update(link.id, { title: null, hashtags: [] });
  expect(changed).toEqual({ ...link, title: null, hashtags: [], updated_at: changed.updated_at });
  expect(changed.updated_at > link.updated_at).toBe(true);
});

test('two concurrent updates of different fields are both kept', async () => {
  const { live } = await createAccount();
  const link = await createLink(live, {});
  await Promise.all([api(live).update(link.id, { title: 'one' }), api(live).update(link.id, { note: 'two' })]);
  expect((await api(live).get(link.id)).body).toMatchObject({ title: 'one', note: 'two' });
});

test('exactly one of two concurrent creations of a slug succeeds, in any case', async () => {
  const { live } = await createAccount();
  const slug = `Race-${Date.now().toString(36)}`;
  const answers = await Promise.all(
    [slug, slug.toLowerCase(), slug.toUpperCase(), slug].map((one) =>
      api(live).create({ destination_url: 'https://e.com', slug: one }),
    ),
  );
  expect(answers.map((answer) => answer.status).sort()).toEqual([201, 422, 422, 422]);
});

test('a password is never in a response, and implies password-protected', async () => {
  const { live } = await createAccount();
  const answer = await api(live).create({ destination_url: 'https://e.com', password: 'sesame-open' });
  expect(answer.body.visibility).toBe('password-protected');
  expect(JSON.stringify(answer.body)).not.toMatch(/sesame|password_hash|scrypt|argon/);
  expect(
    (await api(live).create({ destination_url: 'https://e.com', password: 'x', visibility: 'public' })).status,
  ).toBe(422);
  expect((await api(live).create({ destination_url: 'https://e.com', visibility: 'password-protected' })).status).toBe(
    422,
  );
});

test('a list has pages, a total and the Link header', async () => {
  const { live } = await createAccount();
  for (let n = 0; n < 7; n += 1) await createLink(live, { title: `n${n}` });
  const { body, headers } = await api(live).list('?per=3&page=2&sort=title&dir=asc');
  expect(body.links.map((link) => link.title)).toEqual(['n3', 'n4', 'n5']);
  expect(body).toMatchObject({ page: 2, per: 3, total: 7, total_pages: 3 });
  const links = headers.get('link')!;
  for (const [rel, page] of [
    ['first', 1],
    ['prev', 1],
    ['next', 3],
    ['last', 3],
  ] as const) {
    expect(links).toMatch(new RegExp(`<[^>]*[?&]page=${page}(&[^>]*)?>; rel="${rel}"`));
  }
  const past = await api(live).list('?page=1000000&per=100');
  expect(past.status).toBe(200);
  expect(past.body).toMatchObject({ links: [], total: 7 });
});

test('a deletion is permanent: 204, then 404, also for redirects, and the slug is free again', async () => {
  const { live } = await createAccount();
  const link = await createLink(live, {});
  const deleted = await api(live).delete(link.id);
  expect([deleted.status, deleted.body]).toEqual([204, '']);
  expect((await api(live).delete(link.id)).status).toBe(404);
  expect((await api(live).get(link.id)).status).toBe(404);
  expect((await request(`/${link.slug}`)).status).toBe(404);
  const again = await createLink(live, { slug: link.slug });
  expect(again.id).not.toBe(link.id);
});

test('the same Idempotency-Key and body return the first response, and another body gets 422', async () => {
  const { live } = await createAccount();
  const headers = { 'idempotency-key': 'order-1' };
  const body = { destination_url: 'https://e.com/idempotent' };
  const [one, two] = await Promise.all([api(live).create(body, headers), api(live).create(body, headers)]);
  expect([one.status, two.status]).toEqual([201, 201]);
  expect(two.body).toEqual(one.body);
  expect((await api(live).create({ destination_url: 'https://e.com/other' }, headers)).status).toBe(422);
  expect((await api(live).list()).body.total).toBe(1);
});
