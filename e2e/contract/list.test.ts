import type { Link } from '@waymark/contract';
import { beforeAll, describe, expect, test } from 'vitest';
import { api, createAccount, createLink, stack } from '../support/world.ts';

// docs/api.md, Lists and search, and the OpenAPI document: every query parameter of `GET /api/v1/links`.

const account = await createAccount();
const rest = api(account.live);
const links: Link[] = [];
const TITLES = ['b', 'B', null, 'a', 'ä', 'a', '夏', 'c', null, 'Z'];

beforeAll(async () => {
  for (const [index, title] of TITLES.entries()) {
    links.push(
      await createLink(account.live, {
        title,
        slug: `${account.username}-${String.fromCharCode(122 - index)}${index % 2 ? 'X' : 'x'}`,
        description: index === 0 ? 'Some Words (of) [regular] .* expression$ ^\\d+|x{2}?' : null,
        note: index === 1 ? 'ΣΊΣΥΦΟΣ жизнь 日本語 İstanbul' : null,
        destination_url: `https://example.com/path-${index}?q=100%25`,
        hashtags: index === 2 ? ['Summer', 'лето'] : [],
      }),
    );
  }
  for (const index of [3, 1, 7]) await rest.update(links[index]!.id, { visibility: 'unlisted' });
});

const query = (parameters: Record<string, string>) => `?${new URLSearchParams(parameters)}`;
const found = async (q: string) =>
  (await rest.list(query({ q, per: '100' }))).body.links
    .map(({ id }) => links.findIndex((link) => link.id === id))
    .sort();

describe('parameters', () => {
  test('the defaults are page 1, per 25, created_at and desc', async () => {
    const { body } = await rest.list();
    expect([body.page, body.per, body.total, body.total_pages]).toEqual([1, 25, 10, 1]);
    expect(body.links.map(({ id }) => id)).toEqual(links.map(({ id }) => id).reverse());
    expect((await rest.list(query({ page: '1', per: '25', sort: 'created_at', dir: 'desc' }))).body).toEqual(body);
  });
  test.each([
    ...[
      'page=0',
      'page=-1',
      'page=1000001',
      'page=1.5',
      'page=a',
      'page=',
      'page=1e3',
      'page=%201',
      'page=99999999999999999999',
    ],
    ...[
      'per=0',
      'per=101',
      'per=-5',
      'per=',
      'per=ten',
      'sort=',
      'sort=id',
      'sort=Title',
      'sort=created_at,slug',
      'dir=',
      'dir=ASC',
      'dir=up',
    ],
    ...[`q=${'x'.repeat(201)}`, `q=${'%F0%9F%98%80'.repeat(201)}`, 'per=5&per=6', 'q=a&q=b', 'sort=slug&sort=slug'],
  ])('a 422 names the invalid parameter: %s', async (text) => {
    const answer = await rest.list(`?${text}`);
    expect(answer.status).toBe(422);
    expect((answer.body as unknown as { error: string }).error).toMatch(new RegExp(`^"${text.split('=')[0]}" must`));
  });
  test.each(['limit=5', 'start=2026-01-01', 'Page=1', 'utm_source=x', 'limit=5&limit=6'])(
    'a 422 names the unknown parameter and the known ones: %s',
    async (text) => {
      const answer = await rest.list(`?${text}`);
      const [name] = text.split('=');
      expect([answer.status, answer.body]).toEqual([
        422,
        {
          error: `"${name}" is not a known field; the known ones are q, hashtag, visibility, domain, archived, last_clicked_before, fields, page, per, sort, dir.`,
        },
      ]);
    },
  );
  test.each(['page=1000000', 'per=1', 'per=100', 'q=', `q=${'x'.repeat(200)}`, `q=${'%F0%9F%98%80'.repeat(200)}`])(
    'a value on the bound gets 200: %s',
    async (text) => expect((await rest.list(`?${text}`)).status).toBe(200),
  );
  test('"a page past the end is an empty list, not an error"', async () => {
    for (const page of ['2', '3', '1000000']) {
      const { status, body } = await rest.list(query({ page }));
      expect([status, body]).toEqual([200, { links: [], page: Number(page), per: 25, total: 10, total_pages: 1 }]);
    }
  });
  test('an account without links has total 0 and no pages', async () => {
    const { live } = await createAccount();
    expect((await api(live).list()).body).toEqual({ links: [], page: 1, per: 25, total: 0, total_pages: 0 });
  });
});

describe('"sort … ties broken by `id`, so pages never overlap"', () => {
  const sorts = ['created_at', 'updated_at', 'title', 'slug', 'clicks'] as const;
  test.each(sorts.flatMap((sort) => ['asc', 'desc'].map((dir) => [sort, dir] as const)))('%s %s', async (sort, dir) => {
    const all = (await rest.list(query({ sort, dir, per: '100' }))).body.links;
    expect(all.map(({ id }) => id).sort()).toEqual(links.map(({ id }) => id).sort());
    for (const per of [1, 3]) {
      const paged: Link[] = [];
      for (let page = 1; page <= Math.ceil(10 / per); page += 1) {
        const { body } = await rest.list(query({ sort, dir, per: String(per), page: String(page) }));
        expect([body.total, body.total_pages]).toEqual([10, Math.ceil(10 / per)]);
        paged.push(...body.links);
      }
      expect(paged).toEqual(all);
    }
    const keys = all.map((link) => [
      sort === 'slug' || sort === 'title' ? (link[sort] ?? '').toLowerCase() : link[sort],
      link.id,
    ]);
    const ordered = [...keys].sort(([a, idA], [b, idB]) => compare(a!, b!) || compare(idA!, idB!));
    expect(keys).toEqual(dir === 'asc' ? ordered : ordered.reverse());
  });
});

describe('`q`: "every term must occur, ignoring case and Unicode normalization, somewhere in slug, title, destination URL, description, note or a hashtag"', () => {
  test.each<[string, string, number[]]>([
    ['slug', `${account.username}-Z`.toUpperCase(), [0]],
    ['title', '夏', [6]],
    ['destination URL', 'PATH-4', [4]],
    ['description', 'some words', [0]],
    ['note', 'жизнь', [1]],
    ['hashtag', 'SUMMER', [2]],
    ['a hashtag of another script', 'ЛЕТО', [2]],
    ['another normalization', 'ä'.normalize('NFD'), [4]],
    ['a hashtag of the link, exactly', '#Summer #лето', [2]],
    ['a part of a hashtag', '#Summ', []],
    ['terms in different fields, in any order', 'лето path-2 summer', [2]],
    ['a term that does not occur', 'summer path-3', []],
    ['split at white space of every kind', '\u3000summer\u00a0\t path-2\n', [2]],
    ['final sigma', 'σίσυφος', [1]],
    ['one letter, twice', '夏 夏', [6]],
    ['white space alone', ' \t ', [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]],
  ])('%s', async (_where, q, expected) => expect(await found(q)).toEqual(expected));
  test.each(['(of)', '[regular]', '.*', '$', '^\\d+|x{2}?', '\\d', '|', '{2}', '?q=100%25'])(
    '"Every character is literal": %s',
    async (q) => {
      const texts = links.map((link) =>
        [link.slug, link.title, link.destination_url, link.description, link.note, ...link.hashtags]
          .join('\n')
          .toLowerCase(),
      );
      const expected = texts.flatMap((text, index) => (text.includes(q.toLowerCase()) ? [index] : []));
      expect(expected.length).toBeGreaterThan(0);
      expect(await found(q)).toEqual(expected);
    },
  );
  test.each(['.', '%', '_', '\u0000', '$where', '"', "'", '\\', '\ufffd', '{"$gt":""}'])(
    'its text reaches the database only as a value: %j',
    async (q) => expect((await rest.list(query({ q }))).status).toBe(200),
  );
  test('"a term that is a short URL of this service finds that link"', async () => {
    for (const url of [links[3]!.short_url, `${links[3]!.short_url.toUpperCase()}/?a=b`])
      expect(await found(url)).toEqual([3]);
    expect(await found(`${links[3]!.short_url}-`)).toEqual([]);
  });
  test('no term spans two fields', async () => {
    expect(await found('bhttps')).toEqual([]);
    expect(await found('Summerлето')).toEqual([]);
  });
  test('the password is not searched', async () => {
    const link = await createLink(account.live, { password: 'findme-not' });
    expect(await found('findme-not')).toEqual([]);
    await rest.delete(link.id);
  });
});

describe('"a `Link` header (RFC 8288: first, prev, next, last)"', () => {
  const relations = (header: string | null) =>
    Object.fromEntries(
      [...(header ?? '').matchAll(/<([^>]*)>; rel="(\w+)"/g)].map(([, url, relation]) => [relation, url!]),
    );
  test.each<[number, Record<string, number>]>([
    [1, { first: 1, next: 2, last: 4 }],
    [2, { first: 1, prev: 1, next: 3, last: 4 }],
    [4, { first: 1, prev: 3, last: 4 }],
    [9, { first: 1, prev: 4, last: 4 }],
  ])('page %i of 4', async (page, expected) => {
    const sent = { q: 'example.com path', sort: 'slug', dir: 'asc', per: '3' };
    const { headers } = await rest.list(query({ ...sent, page: String(page) }));
    const actual = relations(headers.get('link'));
    expect(Object.keys(actual).sort()).toEqual(Object.keys(expected).sort());
    for (const [relation, target] of Object.entries(expected)) {
      const url = new URL(actual[relation]!);
      expect(url.origin + url.pathname).toBe(`${stack.publicUrl}/api/v1/links`);
      expect(Object.fromEntries(url.searchParams)).toEqual({ ...sent, page: String(target) });
    }
  });
  test('following `next` from the first page returns every link once', async () => {
    const seen: string[] = [];
    let path: string | undefined = '?per=4';
    while (path !== undefined) {
      const { body, headers } = await rest.list(path);
      seen.push(...body.links.map(({ id }) => id));
      const { next } = relations(headers.get('link'));
      path = next && new URL(next).search;
    }
    expect(seen).toEqual(links.map(({ id }) => id).reverse());
  });
});

function compare(a: string | number, b: string | number): number {
  if (typeof a === 'number' || typeof b === 'number') return Number(a) - Number(b);
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}
