import type { Identity } from '@waymark/auth';
import type { Link } from '@waymark/contract';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Service, signer, type TestAccount } from './support/service.ts';

// docs/api.md, Export.

/** More than two pieces of an export. */
const LINKS = 450;

let service: Service;
let account: TestAccount;
beforeAll(async () => {
  service = await Service.start();
  account = await service.createAccount();
  for (let first = 0; first < LINKS; first += 50) {
    const operations = Array.from({ length: 50 }, (_, i) => ({
      op: 'create',
      link: {
        destination_url: 'https://example.com/',
        title: `Title ${first + i}`,
        ...((first + i) % 3 === 0 && { hashtags: ['third', 'tag'] }),
        ...((first + i) % 10 === 0 && { visibility: 'private' }),
      },
    }));
    await service.request(account.live, 'POST', '/api/v1/links/bulk', { body: { operations } });
  }
});
afterAll(() => service.close());

async function get(identity: Identity, query = '', init: RequestInit = {}) {
  return fetch(`${service.origin}/api/v1/links/export${query}`, {
    headers: { 'x-waymark-identity': await signer.mint(identity) },
    ...init,
  });
}
const linksOf = (ndjson: string) =>
  ndjson
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Link);

test('an export has all links, oldest first, with every field, one on each line', async () => {
  const response = await get(account.live);
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/x-ndjson; charset=utf-8']);
  expect(response.headers.get('content-disposition')).toBe('attachment; filename="links.ndjson"');
  expect(response.headers.get('cache-control')).toBe('no-store');
  const links = linksOf(await response.text());
  expect(links).toHaveLength(LINKS);
  expect(links.map(({ id }) => id)).toEqual(links.map(({ id }) => id).sort());
  expect(new Set(links.map(({ title }) => title)).size).toBe(LINKS);
  expect(links[7]).toEqual((await service.get(account.live, links[7]!.id)).body);
});

test('an export has only the links that the filters select and that the key sees', async () => {
  const tagged = linksOf(await (await get(account.live, '?q=%23third')).text());
  expect(tagged).toHaveLength(LINKS / 3);
  const shown = linksOf(await (await get(account.public)).text());
  expect(shown).toHaveLength(LINKS * 0.9);
  expect(linksOf(await (await get(account.live, '?q=%00')).text())).toEqual([]);
  const other = await service.createAccount();
  expect(await (await get(other.live)).text()).toBe('');
  expect(await (await get(other.live, '?format=csv')).text()).toMatch(/^id,host,slug,short_url,[a-z_,]+\r\n$/);
});

test('each filter of the list selects the same links in an export, and archived links need "archived"', async () => {
  const { live } = await service.createAccount();
  const create = async (link: object) => (await service.request(live, 'POST', '/api/v1/links', { body: link })).body;
  await create({ slug: 'x-plain', destination_url: 'https://example.org/' });
  await create({ slug: 'x-archived', destination_url: 'https://example.org/', archived: true, hashtags: ['rare'] });
  await create({ slug: 'x-shop', destination_url: 'https://shop.example.com/', hashtags: ['rare'] });
  await create({ slug: 'x-private', destination_url: 'https://notexample.com/', visibility: 'private' });
  await create({ slug: 'x-over', destination_url: 'https://over.example.org/', expires_at: '2020-01-01T00:00:00Z' });
  const slugsOf = async (query: string) => linksOf(await (await get(live, query)).text()).map(({ slug }) => slug);
  for (const [query, slugs] of Object.entries({
    '': ['x-plain', 'x-shop', 'x-private', 'x-over'],
    '?archived=false': ['x-plain', 'x-shop', 'x-private', 'x-over'],
    '?archived=true': ['x-archived'],
    '?archived=any': ['x-plain', 'x-archived', 'x-shop', 'x-private', 'x-over'],
    '?hashtag=rare': ['x-shop'],
    '?hashtag=RARE&archived=any': ['x-archived', 'x-shop'],
    '?visibility=private': ['x-private'],
    '?domain=example.com': ['x-shop'],
    '?created_before=2000-01-01': [],
    '?created_after=2000-01-01': ['x-plain', 'x-shop', 'x-private', 'x-over'],
    '?created_after=2000-01-01&created_before=2090-01-01&q=x-p': ['x-plain', 'x-private'],
    '?expired=true': ['x-over'],
    '?expired=false': ['x-plain', 'x-shop', 'x-private'],
    '?expired=false&q=x-&archived=any': ['x-plain', 'x-archived', 'x-shop', 'x-private'],
    '?destination_url=https://example.org/': ['x-plain'],
    '?destination_url=https://example.org/&archived=any': ['x-plain', 'x-archived'],
    '?destination_url=https://example.org/&q=x-a&archived=any': ['x-archived'],
    '?last_clicked_before=2000-01-01': ['x-plain', 'x-shop', 'x-private', 'x-over'],
    '?q=x-p': ['x-plain', 'x-private'],
    '?q=x-a&archived=any': ['x-archived'],
  })) {
    expect([query, (await slugsOf(query)).toSorted()]).toEqual([query, slugs.toSorted()]);
    const listed = (await service.request<{ links: Link[] }>(live, 'GET', `/api/v1/links${query}`)).body;
    expect([query, listed.links.map(({ slug }) => slug).toSorted()]).toEqual([query, slugs.toSorted()]);
  }
});

test('a CSV export has a header and one row for each link', async () => {
  const response = await get(account.live, '?format=csv');
  expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8; header=present');
  const rows = (await response.text()).split('\r\n');
  expect(rows).toHaveLength(LINKS + 2);
  expect(rows[1]).toContain(',"third,tag",private,');
  const head = await get(account.live, '?format=csv', { method: 'HEAD' });
  expect([head.status, head.headers.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8; header=present']);
});

test.each(['page', 'per', 'sort', 'dir', 'fields'])('the parameter %s of the list is 422', async (name) => {
  const response = await get(account.live, `?${name}=1`);
  expect(response.status).toBe(422);
  expect((await response.json()) as object).toEqual({
    error: expect.stringContaining(`"${name}" is not a known field`),
  });
});

test('two exports of an account may run, and a third one is 429 until one has ended', async () => {
  const [one, two] = [new AbortController(), new AbortController()];
  // Nobody reads these two, but they fit into the buffers of the sockets only if they are short.
  const note = 'n'.repeat(5_000);
  for (let i = 0; i < 30; i++) {
    const operations = Array.from({ length: 50 }, () => ({
      op: 'create',
      link: { destination_url: 'https://example.com/', note },
    }));
    await service.request(account.live, 'POST', '/api/v1/links/bulk', { body: { operations } });
  }
  await Promise.all([one, two].map(({ signal }) => get(account.live, '', { signal })));
  const refused = await get(account.public);
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '10']);
  expect((await get((await service.createAccount()).live)).status).toBe(200);
  one.abort();
  await expect.poll(async () => (await get(account.live, '?q=nothing')).status).toBe(200);
  two.abort();
});
