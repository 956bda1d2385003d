import type { HashtagList, Link, LinkSort } from '@waymark/contract';
import { listLinksRequest } from '@waymark/proto';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { LinkDocument } from '../src/database/documents/link.ts';
import { EventsStore } from '../src/events/events.store.ts';
import { AccountLogs } from '../src/follower/account-logs.store.ts';
import { NEVER_CLICKED } from '../src/links/link.ts';
import { LinkScope } from '../src/links/link-scope.ts';
import { LinkLists, type ListQuery } from '../src/lists/link-lists.store.ts';
import { parseSearch } from '../src/search/search.ts';
import { SearchTexts } from '../src/search/search-texts.store.ts';
import { foldForSearch } from '../src/search-text.ts';
import { JobsClient } from './support/jobs.ts';
import { API_URL, PUBLIC_URL, Service, type TestAccount } from './support/service.ts';
import { documentOf, type SeededLink, writeLinks } from './support/write-links.ts';

// docs/api.md, Lists and search: the authoritative tests. e2e/contract/model.test.ts goes through the gateway and replicas.

let service: Service;
beforeAll(async () => {
  service = await Service.start();
});
afterAll(() => service.close());

/** Inserts links as they would be after many creations, updates and clicks. */
async function seed(account: TestAccount, links: SeededLink[]): Promise<LinkDocument[]> {
  const documents = links.map((link, i) => documentOf(account.id, link, new Date(1.7e12 + i)));
  const changes = documents.map((after) => ({ before: null, after }));
  await writeLinks(service.database, account.id, changes);
  return documents;
}

type Scan = { q: string; sort: Exclude<LinkSort, 'destination_url'>; dir: string } & Partial<
  Record<(typeof FILTERS)[number], string>
>;
const FILTERS = [
  ...(['hashtag', 'visibility', 'domain', 'archived', 'created_before', 'created_after', 'expired'] as const),
  ...(['destination_url', 'last_clicked_before', 'managed_by'] as const),
] as const;

/** Returns the list that a naive scan in memory gives. */
function scan(links: readonly LinkDocument[], publicOnly: boolean, query: Scan) {
  const { hashtag, visibility, domain, archived = 'false', last_clicked_before } = query;
  const { created_before, created_after, expired, destination_url, managed_by } = query;
  const terms = query.q.split(/\s+/u).filter((term) => term !== '');
  const keyOf = (link: LinkDocument): string | number | null => {
    if (query.sort === 'title') return link.title === null ? null : foldForSearch(link.title);
    if (query.sort === 'slug') return link.slug.toLowerCase();
    return query.sort === 'clicks' ? link.clicks : link[query.sort].getTime();
  };
  const sign = query.dir === 'asc' ? 1 : -1;
  return links
    .filter((link) => !publicOnly || link.visibility === 'public' || link.visibility === 'unlisted')
    .filter((link) => archived === 'any' || String(link.archived) === archived)
    .filter((link) => visibility === undefined || link.visibility === visibility)
    .filter((link) => hashtag === undefined || link.hashtags.includes(hashtag))
    .filter(({ destination_url }) => {
      const hostname = new URL(destination_url).hostname.replace(/\.$/, '');
      return domain === undefined || hostname === domain || hostname.endsWith(`.${domain}`);
    })
    .filter((link) => created_before === undefined || link.created_at < new Date(created_before))
    .filter((link) => created_after === undefined || link.created_at >= new Date(created_after))
    .filter(({ expires_at }) => expired === undefined || String(isPast(expires_at)) === expired)
    .filter((link) => managed_by === undefined || link.managed_by === managed_by)
    .filter((link) => destination_url === undefined || link.destination_url === destination_url)
    .filter(
      (link) =>
        last_clicked_before === undefined ||
        link.last_clicked_at <= NEVER_CLICKED ||
        link.last_clicked_at < new Date(last_clicked_before),
    )
    .filter((link) =>
      terms.every((term) =>
        /^#[\p{L}\p{M}\p{N}_-]+$/u.test(term)
          ? link.hashtags.includes(term.slice(1).normalize('NFC').toLowerCase())
          : [link.slug, link.title, link.destination_url, link.description, link.note, ...link.hashtags].some(
              (field) => field !== null && foldForSearch(field).includes(foldForSearch(term)),
            ),
      ),
    )
    .sort((a, b) => sign * (compare(keyOf(a), keyOf(b)) || compare(a._id, b._id)))
    .map(({ _id }) => _id);
}

function isPast(expiresAt: Date | null): boolean {
  return expiresAt !== null && expiresAt.getTime() <= Date.now();
}

/** Compares as the database does: null first, text by its bytes. */
function compare(a: string | number | null, b: string | number | null): number {
  if (a === null || b === null) return Number(a !== null) - Number(b !== null);
  if (typeof a === 'string' && typeof b === 'string') return Buffer.compare(Buffer.from(a), Buffer.from(b));
  return a < b ? -1 : Number(a > b);
}

const SORTS: Scan['sort'][] = ['created_at', 'updated_at', 'title', 'slug', 'clicks'];

describe('GET /api/v1/links', () => {
  test('returns page 1 with 25 links, newest first, by default', async () => {
    const account = await service.createAccount();
    const links = await seed(
      account,
      Array.from({ length: 30 }, () => ({})),
    );
    const { status, body } = await service.list(account.live);
    expect(status).toBe(200);
    expect({ ...body, links: body.links.map(({ id }) => id) }).toEqual({
      links: links
        .map(({ _id }) => _id)
        .reverse()
        .slice(0, 25),
      page: 1,
      per: 25,
      total: 30,
      total_pages: 2,
    });
  });

  test('returns an empty list for an account without links', async () => {
    const account = await service.createAccount();
    const { body, headers } = await service.list(account.live);
    expect(body).toEqual({ links: [], page: 1, per: 25, total: 0, total_pages: 0 });
    expect(headers.get('link')).toBe(
      `<${API_URL}/api/v1/links?page=1>; rel="first", <${API_URL}/api/v1/links?page=1>; rel="last"`,
    );
  });

  test('gives 422 outside of page 1–1,000,000, per 1–100 and q of 200 characters, and an empty page past the end', async () => {
    const account = await service.createAccount();
    await seed(account, [{}, {}]);
    const bad = {
      page: ['0', '-1', '1000001', '1.5', 'x', '', '1e3', ' 1', '99999999999999999999'],
      per: ['0', '101', '-5', '', 'ten'],
      sort: ['', 'id', 'Title', 'created_at,slug'],
      dir: ['', 'ASC', 'up'],
      q: ['x'.repeat(201), '😀'.repeat(201)],
    };
    for (const [name, values] of Object.entries(bad))
      for (const value of values) {
        const answer = await service.list(account.live, { [name]: value });
        expect([name, value, answer.status]).toEqual([name, value, 422]);
        expect(answer.body.error).toMatch(new RegExp(`^"${name}" must`));
      }
    for (const twice of ['page=1&page=2', 'q=a&q=b', 'sort=slug&sort=slug'])
      expect((await service.request(account.live, 'GET', `/api/v1/links?${twice}`)).status, twice).toBe(422);
    for (const query of [{ per: 1 }, { per: 100 }, { q: '' }, { q: 'x'.repeat(200) }])
      expect((await service.list(account.live, query)).status).toBe(200);
    for (const page of [2, 3, 1_000_000]) {
      const answer = await service.list(account.live, { page, per: 100 });
      expect([answer.status, answer.body]).toEqual([200, { links: [], page, per: 100, total: 2, total_pages: 1 }]);
    }
    expect((await service.list(account.live, { q: '😀'.repeat(200) })).body.total).toBe(0);
  });

  test('has a Link header (RFC 8288: first, prev, next, last) that keeps the query', async () => {
    const account = await service.createAccount();
    await seed(
      account,
      Array.from({ length: 7 }, () => ({ title: 'größe a&b' })),
    );
    const relations = async (page: number) => {
      const { headers } = await service.list(account.live, { q: 'größe a&b', per: 2, page, sort: 'slug' });
      const found: Record<string, URL> = {};
      for (const [, url, relation] of headers.get('link')!.matchAll(/<([^>]+)>; rel="(\w+)"/g))
        found[relation!] = new URL(url!);
      return found;
    };
    const pages = (found: Record<string, URL>) =>
      Object.fromEntries(
        Object.entries(found).map(([relation, url]) => [relation, Number(url.searchParams.get('page'))]),
      );
    expect(pages(await relations(1))).toEqual({ first: 1, next: 2, last: 4 });
    expect(pages(await relations(2))).toEqual({ first: 1, prev: 1, next: 3, last: 4 });
    expect(pages(await relations(4))).toEqual({ first: 1, prev: 3, last: 4 });
    expect(pages(await relations(9))).toEqual({ first: 1, prev: 4, last: 4 });
    const { next } = await relations(1);
    expect(next!.origin + next!.pathname).toBe(`${API_URL}/api/v1/links`);
    expect(Object.fromEntries(next!.searchParams)).toEqual({ q: 'größe a&b', per: '2', page: '2', sort: 'slug' });
    // The header must not exceed the limits of proxies.
    const long = await service.list(account.live, { q: '😀'.repeat(200), per: 1, sort: 'slug', dir: 'asc' });
    expect([long.status, long.headers.get('link')!.length < 12_000]).toEqual([200, true]);
    const destination_url = `https://example.com/${'x'.repeat(2_000)}`;
    expect((await service.list(account.live, { destination_url })).headers.get('link')).toContain(
      destination_url.slice(-2_000),
    );
  });

  test('has no Link header if the parameters are so long that clients would refuse it', async () => {
    const account = await service.createAccount();
    const destination_url = `https://example.com/${'ä'.repeat(1_000)}`;
    await seed(account, [{ destination_url }, { destination_url }]);
    const { status, body, headers } = await service.list(account.live, { destination_url, per: 1 });
    expect([status, body.total, body.total_pages, headers.get('link')]).toEqual([200, 2, 2, null]);
  });

  test('breaks ties by id, so that pages never overlap, for every sort and direction', async () => {
    const account = await service.createAccount();
    const moment = new Date(1.7e12);
    const links = await seed(
      account,
      Array.from({ length: 23 }, (_, i) => ({
        created_at: moment,
        updated_at: moment,
        clicks: i % 2,
        title: i % 3 === 0 ? null : 'Same',
      })),
    );
    for (const sort of SORTS) {
      for (const dir of ['asc', 'desc']) {
        const ids: string[] = [];
        for (let page = 1; page <= 6; page++) {
          const { body } = await service.list(account.live, { sort, dir, page, per: 4 });
          expect([body.total, body.total_pages]).toEqual([23, 6]);
          ids.push(...body.links.map(({ id }) => id));
        }
        expect([sort, dir, ids]).toEqual([sort, dir, scan(links, false, { q: '', sort, dir: dir as 'asc' })]);
      }
    }
  });

  test('sorts titles ignoring case, links without a title first', async () => {
    const account = await service.createAccount();
    await seed(account, [{ title: 'b' }, { title: null }, { title: 'A' }, { title: 'B2' }, { title: 'Ä' }]);
    const { body } = await service.list(account.live, { sort: 'title', dir: 'asc' });
    expect(body.links.map(({ title }) => title)).toEqual([null, 'A', 'b', 'B2', 'Ä']);
  });
});

describe('q', () => {
  test('every term must occur, ignoring case, somewhere in slug, title, destination URL, description, note or a hashtag', async () => {
    const account = await service.createAccount();
    const [link] = await seed(account, [
      {
        slug: 'Summer-2026',
        title: 'Große Straße',
        destination_url: 'https://Example.com/Path?q=1',
        description: 'ΟΔΟΣ and Москва',
        note: '東京 100% [sic] a.b',
        hashtags: ['ёлка', 'sale'],
      },
      {},
    ]);
    const hits = async (q: string) => (await service.list(account.live, { q })).body.links.map(({ id }) => id);
    for (const q of [
      'SUMMER',
      'mer-20',
      'große',
      'GROSSE STRASSE',
      'STRAẞE',
      'GROßE straße',
      'example.COM/path?Q=1',
      'οδος',
      'ΟΔΟΣ',
      'ΔΟΣ',
      'МОСКВА',
      '京',
      '100%',
      '[SIC]',
      'a.b',
      'ЁЛКА',
      'sale summer москва 東京',
      '  \u3000summer\tsale\n',
    ])
      expect([q, await hits(q)]).toEqual([q, [link!._id]]);
    for (const q of [
      'a.c',
      'axb',
      '.*',
      '^',
      '$',
      '\\',
      '[a-z]',
      '(?i)x',
      '100%x',
      'summer winter',
      's u m m é',
      '\u0000',
      '"',
      "'",
      '$where',
      '{"$gt":""}',
      '\ufffd',
    ])
      expect([q, await hits(q)]).toEqual([q, []]);
  });

  test('İ and ı are i, as in their capitals', async () => {
    const account = await service.createAccount();
    const [link] = await seed(account, [{ title: 'İzmir', hashtags: ['kırık'] }, {}]);
    for (const q of ['izmir', 'İZMİR', 'IZMIR', 'KIRIK', 'kırık']) {
      const { body } = await service.list(account.live, { q });
      expect([q, body.links.map(({ id }) => id)]).toEqual([q, [link!._id]]);
    }
  });

  test('a hashtag with a joiner is found by #term and by the filter, and is another one than that without', async () => {
    const account = await service.createAccount();
    const words = ['ශ්\u200dරී', 'می\u200cخواهم', 'क्\u200dषेत्र', 'paral·lel', 'スター・ウォーズ'];
    for (const word of words) {
      const { id, hashtags } = await service.createLink(account.live, { hashtags: [`＃${word}`] });
      expect(hashtags).toEqual([word]);
      await service.createLink(account.live, { hashtags: [word.replace(/\u200c|\u200d|·|・/, '')] });
      for (const query of [{ q: `#${word}` }, { q: `＃${word}` }, { hashtag: word }, { hashtag: `＃${word}` }]) {
        const { body } = await service.list(account.live, query);
        expect([query, body.links.map((link) => link.id)]).toEqual([query, [id]]);
      }
    }
    for (const hashtag of ['\u200da', 'a·', '・', 'a・・b'])
      expect([
        hashtag,
        (await service.create(account.live, { destination_url: 'https://example.com/', hashtags: [hashtag] })).status,
      ]).toEqual([hashtag, 422]);
  });

  test('a term does not match across the border of two fields or two hashtags', async () => {
    const account = await service.createAccount();
    await seed(account, [{ slug: 'abc', title: 'def', description: 'ghi', note: 'jkl', hashtags: ['mno', 'pqr'] }]);
    const total = async (q: string) => (await service.list(account.live, { q })).body.total;
    for (const q of ['abcdef', 'cd', 'fg', 'ij', 'lm', 'op']) expect([q, await total(q)]).toEqual([q, 0]);
    expect(await total('c d f g i j l m o p')).toBe(1);
  });

  test('case and Unicode normalization are ignored, in every field', async () => {
    const account = await service.createAccount();
    const term = 'Ḱǘ한क़ẖ';
    const forms = [term.normalize('NFC'), term.normalize('NFD'), term.normalize('NFC').toUpperCase()];
    const fields = forms.flatMap((form) => [
      { title: `a ${form}` },
      { description: form },
      { note: `${form}.` },
      { destination_url: `https://example.com/?q=${form}` },
      { hashtags: [form] },
    ]);
    const ids: string[] = [];
    for (const one of fields) ids.push((await service.createLink(account.live, one)).id);
    await service.createLink(account.live, { title: 'Ku한क़h' });
    for (const q of [...forms, term.normalize('NFD').toUpperCase()]) {
      const { body } = await service.list(account.live, { q, per: 100, dir: 'asc' });
      expect([q, body.total, body.links.map(({ id }) => id)]).toEqual([q, ids.length, ids]);
    }
  });

  test('a term that is # and a valid hashtag finds links that have exactly that hashtag; any other is literal', async () => {
    const account = await service.createAccount();
    const [sale, sales, both, text, odd] = await seed(account, [
      { title: 'one', hashtags: ['sale'] },
      { title: 'two', hashtags: ['sales', 'presale'] },
      { title: 'three', hashtags: ['summer', 'sale', 'ẖ'] },
      { note: '#sale', destination_url: 'https://example.com/#sale' },
      { note: '# a#b #c.d ##e' },
    ]);
    const hits = async (q: string) =>
      (await service.list(account.live, { q, dir: 'asc' })).body.links.map(({ id }) => id);
    const cases: [string, LinkDocument[]][] = [
      ['#sale', [sale!, both!]],
      ['#SALE', [sale!, both!]],
      ['#sale #summer', [both!]],
      ['#H\u0331', [both!]],
      ['#sale one', [sale!]],
      ['#presale #sales', [sales!]],
      ['#sal', []],
      ['#', [text!, odd!]],
      ['a#b', [odd!]],
      ['#c.d', [odd!]],
      ['##e', [odd!]],
      ['sale', [sale!, sales!, both!, text!]],
    ];
    for (const [q, expected] of cases) expect([q, await hits(q)]).toEqual([q, expected.map(({ _id }) => _id)]);
  });

  test('a term that is a short URL of this service finds that link', async () => {
    const account = await service.createAccount();
    const slug = `Spring-${account.id.slice(-8)}`;
    const [link] = await seed(account, [{ slug, title: 'the link' }, { note: `replaces ${PUBLIC_URL}/${slug}` }]);
    const total = async (q: string) => {
      const { body } = await service.list(account.live, { q });
      return [q, body.total, body.links.map(({ id }) => id)];
    };
    const host = new URL(PUBLIC_URL).host;
    for (const q of [
      `${PUBLIC_URL}/${slug}`,
      `http://${host}/${slug}`,
      `${host}/${slug}`,
      `HTTPS://${host.toUpperCase()}/${slug.toUpperCase()}`,
      `${PUBLIC_URL}/${slug}/`,
      `${PUBLIC_URL}/${slug}?utm_source=mail#top`,
      `${PUBLIC_URL}:443/${slug}`,
      `link ${PUBLIC_URL}/${slug}`,
      `${PUBLIC_URL}/${slug} ${host}/${slug.toLowerCase()}`,
    ])
      expect(await total(q)).toEqual([q, 1, [link!._id]]);
    for (const q of [
      `${PUBLIC_URL}/${slug}x`,
      `${PUBLIC_URL}/${slug}/more`,
      `https://other.example/${slug}`,
      `https://x.${host}/${slug}`,
      `https://user@${host}/${slug}`,
      `${PUBLIC_URL}:8443/${slug}`,
      `nothing ${PUBLIC_URL}/${slug}`,
      `${PUBLIC_URL}/${slug} ${PUBLIC_URL}/other`,
    ])
      expect(await total(q)).toEqual([q, 0, []]);
  });

  test('a URL that is not the short URL of a link is literal', async () => {
    const account = await service.createAccount();
    const [link] = await seed(account, [{ note: `see ${PUBLIC_URL}/docs and ${PUBLIC_URL}/` }]);
    for (const q of [`${PUBLIC_URL}/docs`, `${PUBLIC_URL}/`, PUBLIC_URL])
      expect((await service.list(account.live, { q })).body.links.map(({ id }) => id)).toEqual([link!._id]);
  });

  test('a hashtag or a short URL does not reveal a hidden link to a public key or another account', async () => {
    const account = await service.createAccount();
    const other = await service.createAccount();
    const [hidden, locked] = await seed(account, [
      { visibility: 'private', hashtags: ['secret'] },
      { visibility: 'password-protected', password_hash: 'x', hashtags: ['secret'] },
    ]);
    for (const q of ['#secret', ...[hidden!, locked!].map(({ slug }) => `${PUBLIC_URL}/${slug}`)]) {
      expect((await service.list(account.live, { q })).body.total).toBeGreaterThan(0);
      const unknown = await service.list(account.public, { q: `${PUBLIC_URL}/nobody-has-this` });
      for (const identity of [account.public, other.live, other.public])
        expect((await service.list(identity, { q })).body).toEqual(unknown.body);
    }
  });

  test('white space alone does not filter', async () => {
    const account = await service.createAccount();
    await seed(account, [{}, {}]);
    expect((await service.list(account.live, { q: ' \t ' })).body.total).toBe(2);
  });

  test('ten different words work as one search, and more are 422, in a list, an export and over gRPC', async () => {
    const account = await service.createAccount();
    await seed(account, [{ note: 'αβγδεζηθικλ' }, { note: 'βγδεζηθικλ' }]);
    const q = [...'βγδεζηθικλ'].join(' ');
    expect((await service.list(account.live, { q })).body.total).toBe(2);
    expect((await service.list(account.live, { q: `${q} Β Γ` })).body.total).toBe(2);
    expect((await service.list(account.live, { q: `${q.slice(2)} α` })).body.total).toBe(1);
    const error = '"q" must have at most 10 words; you sent 11 different ones.';
    const listed = await service.list(account.live, { q: `${q} μ` });
    expect([listed.status, listed.body]).toEqual([422, { error }]);
    const exported = await service.request(
      account.live,
      'GET',
      `/api/v1/links/export?q=${encodeURIComponent(`${q} μ`)}`,
    );
    expect([exported.status, exported.body]).toEqual([422, { error }]);
    const query = { q: `${q} μ`, archived: 'false', page: 1, per: 10, sort: 'slug', dir: 'asc' } as const;
    const called = service.links.listLinks(listLinksRequest(query), await service.as(account.live));
    await expect(called).rejects.toThrow(error);
  });

  test('the list and its search give the result of a naive scan, for both keys, every sort and every page, after each change', {
    timeout: 600_000,
  }, async () => {
    const letters = fc.constantFrom(
      ...'aAbBßẞsSiİıΣσςéÉ夏.*[(\\^$|?+%"\'-_/##'.split(''),
      ...'hH\u0331\u0301',
      '😀',
      'ﬁ',
      ' ',
      '\n',
    );
    const text = fc.string({ unit: letters, maxLength: 8 });
    const link = fc.record({
      title: fc.option(text, { nil: null }),
      description: fc.option(text, { nil: null }),
      note: fc.option(text, { nil: null }),
      hashtags: fc.array(fc.string({ unit: fc.constantFrom('a', 'б', '夏', 'σ', 'é'), minLength: 1, maxLength: 3 }), {
        maxLength: 3,
      }),
      visibility: fc.constantFrom('public', 'unlisted', 'private', 'password-protected'),
      destination_url: fc.constantFrom(
        ...['https://example.com/', 'https://a.example.com/', 'https://notexample.com/', 'https://a.b.example.com:81/'],
        ...['https://com/', 'https://example.com./', 'https://example.com-x/', 'http://10.0.0.1/', 'http://[::1]/'],
      ),
      archived: fc.boolean(),
      managed_by: fc.constantFrom(null, null, 'a', 'A'),
      expires_at: fc.constantFrom(null, null, new Date(1.6e12), new Date('2090-01-31T00:00:00Z')),
      last_clicked_at: fc.constantFrom(
        NEVER_CLICKED,
        new Date('2026-01-01T00:00:00Z'),
        new Date('2026-02-01T00:00:00Z'),
      ),
      clicks: fc.nat({ max: 3 }),
      created_at: fc.nat({ max: 5 }).map((ms) => new Date(1.7e12 + ms)),
      updated_at: fc.nat({ max: 3 }).map((ms) => new Date(1.7e12 + ms)),
    });
    const query = fc.record({
      q: fc.string({ unit: letters, maxLength: 6 }),
      sort: fc.constantFrom(...SORTS),
      dir: fc.constantFrom('asc', 'desc'),
      per: fc.integer({ min: 1, max: 10 }),
    });
    const filters = fc.record(
      {
        hashtag: fc.constantFrom('a', 'б', 'aa'),
        visibility: fc.constantFrom('public', 'unlisted', 'private', 'password-protected'),
        domain: fc.constantFrom('example.com', 'a.example.com', 'com', '10.0.0.1', '[::1]', 'b.example.com'),
        archived: fc.constantFrom('false', 'true', 'any', 'any'),
        created_before: fc.constantFrom(
          '2023-11-14T22:13:20.003Z',
          '2023-11-14T23:13:20.001+01:00',
          '2023-11-14',
          '2090-01-01',
        ),
        created_after: fc.constantFrom('2023-11-14T22:13:20.002Z', '2023-11-14', '0001-01-01', '2090-01-01'),
        expired: fc.constantFrom('false', 'true'),
        managed_by: fc.constantFrom('a', 'A', 'b'),
        destination_url: fc.constantFrom('https://example.com/', 'https://example.com', 'https://a.b.example.com:81/'),
        last_clicked_before: fc.constantFrom('2026-01-01', '2026-02-01T00:00:00.001Z', '1969-12-31', '2026-01-15'),
      },
      { requiredKeys: [] },
    );
    const change = fc.record({ target: fc.nat(), link: fc.option(link), isNew: fc.boolean() });
    const steps = fc.array(
      fc.record({
        query: fc.tuple(query, filters).map(([one, filter]) => ({ ...one, ...filter })),
        changes: fc.array(change, { maxLength: 3 }),
      }),
      { minLength: 4, maxLength: 8 },
    );
    // Texts of the second one never fit into memory.
    const replicas = [1e6, 1].map(
      (maxBytes) =>
        new LinkLists(
          service.database,
          new SearchTexts(
            service.database,
            new AccountLogs(service.database, new EventsStore(service.database)),
            maxBytes,
          ),
        ),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(link, { maxLength: 25 }), steps, async (links, steps) => {
        const account = await service.createAccount();
        const documents = new Map(
          (await seed(account, links as SeededLink[])).map((document) => [document._id, document]),
        );
        const changeOne = async ({ target, link, isNew }: { target: number; link: unknown; isNew: boolean }) => {
          const before = isNew ? null : ([...documents.values()][target % documents.size] ?? null);
          const after =
            link === null ? null : documentOf(account.id, { ...before, ...link }, new Date(1.7e12), before?._id);
          if (before === null && after === null) return;
          await writeLinks(service.database, account.id, [{ before, after }]);
          if (after === null) documents.delete(before!._id);
          else documents.set(after._id, after);
        };
        for (const { query, changes } of steps) {
          for (const one of changes) await changeOne(one);
          for (const identity of [account.live, account.public]) {
            const expected = scan([...documents.values()], identity === account.public, query);
            const ids: string[] = [];
            for (let page = 1; page === 1 || ids.length < expected.length; page++) {
              const { body } = await service.list(identity, { ...query, page });
              expect([query, body.total]).toEqual([query, expected.length]);
              if (body.links.length === 0) break;
              ids.push(...body.links.map((found: Link) => found.id));
            }
            expect([query, ids]).toEqual([query, expected]);
            for (const lists of replicas) {
              const { dir, archived = 'false', sort, per, ...rest } = query as typeof query & ListQuery;
              const search = parseSearch(query.q, new Map());
              const listed =
                search === null
                  ? { links: [], total: 0 }
                  : await lists.page(new LinkScope(identity), { ...rest, archived, sort, dir, per, page: 1 }, search);
              expect([query, listed.total]).toEqual([query, expected.length]);
              expect([query, listed.links.map(({ _id }) => _id)]).toEqual([query, expected.slice(0, per)]);
            }
          }
        }
      }),
      { numRuns: Number(process.env.MODEL_OPERATIONS ?? 80) / 20 },
    );
  });
});

test('a search with a filter that matches thousands of links is exact, for both keys and every sort', async () => {
  const account = await service.createAccount();
  const links = await seed(
    account,
    Array.from({ length: 2_300 }, (_, n) => ({
      title: `title ${n % 7}`,
      hashtags: n < 2_200 ? ['a'] : [],
      expires_at: n % 2 === 0 ? new Date(1.6e12) : null,
      visibility: n % 9 === 0 ? 'private' : 'public',
      archived: n % 11 === 0,
      clicks: n % 13,
    })),
  );
  const questions = [
    [account.live, 'title', 'created_at', { hashtag: 'a' }],
    [account.live, 'title', 'clicks', { hashtag: 'a' }],
    [account.live, '3 title', 'title', { hashtag: 'a', domain: 'example.com' }],
    [account.live, '#a title', 'slug', { hashtag: 'a' }],
    [account.live, 'title', 'created_at', { hashtag: 'a', last_clicked_before: '2026-01-01' }],
    [account.public, '3', 'created_at', { domain: 'example.com', hashtag: 'a' }],
    [account.public, '3', 'updated_at', { last_clicked_before: '2026-01-01' }],
    [account.live, 'title', 'clicks', { expired: 'false', created_after: '2023-11-14T22:13:20.100Z' }],
    [account.live, 'title', 'title', { expired: 'true', created_before: '2023-11-14T22:13:22Z' }],
    [account.live, 'title', 'updated_at', { destination_url: 'https://example.com/' }],
    [account.public, '3', 'created_at', { destination_url: 'https://example.com/', expired: 'true' }],
  ] as const;
  for (const [n, [identity, q, sort, filter]] of questions.entries()) {
    const [archived, page] = n % 2 === 0 ? (['any', 3] as const) : (['false', 1] as const);
    const query = { q, ...filter, sort, dir: 'desc', archived } as const;
    const expected = scan(links, identity === account.public, query);
    const { body } = await service.list(identity, { ...query, page });
    expect([query, body.total]).toEqual([query, expected.length]);
    expect([query, body.links.map(({ id }) => id)]).toEqual([query, expected.slice(25 * (page - 1), 25 * page)]);
  }
});

test('a list with a filter is exact, also if all its matches are the oldest or the newest links', async () => {
  const account = await service.createAccount();
  const links = await seed(
    account,
    Array.from({ length: 4_600 }, (_, n) => ({
      hashtags: n < 2_500 ? ['old'] : [],
      ...(n < 2_500 && { destination_url: 'https://example.com/old' }),
      expires_at: n < 2_500 ? new Date(1.6e12) : null,
      visibility: n % 9 === 0 ? 'private' : 'public',
      archived: n % 3 === 0,
    })),
  );
  for (const identity of [account.live, account.public])
    for (const filter of [
      { hashtag: 'old', archived: 'any' },
      { archived: 'true' },
      { created_before: '2023-11-14T22:13:22.500Z', archived: 'any' },
      { created_after: '2023-11-14T22:13:24.500Z', archived: 'any', sort: 'slug' },
      { expired: 'true', archived: 'any', sort: 'title' },
      { expired: 'false' },
      { destination_url: 'https://example.com/old', archived: 'any' },
    ] as const)
      for (const dir of ['asc', 'desc'] as const) {
        const query = { sort: 'created_at', dir, ...filter } as const;
        const expected = scan(links, identity === account.public, { q: '', ...query });
        const page = dir === 'asc' ? Math.ceil(expected.length / 25) : 1;
        const { body } = await service.list(identity, { ...query, page });
        expect([query, page, body.total]).toEqual([query, page, expected.length]);
        const onPage = expected.slice(25 * (page - 1), 25 * page);
        expect([query, page, body.links.map(({ id }) => id)]).toEqual([query, page, onPage]);
      }
});

test('what is counted is exact while links change from one visibility to another', async () => {
  const account = await service.createAccount();
  // More than are counted together.
  const count = 2_500;
  const links = await seed(
    account,
    Array.from({ length: count }, (_, n) => ({
      ...{ title: 'one', hashtags: ['x'], destination_url: `https://example.com/${n % 50}` },
      visibility: n % 2 === 0 ? 'public' : 'unlisted',
    })),
  );
  let isCounting = true;
  const change = async () => {
    for (let n = 0; isCounting; n = (n + 1_999) % count) {
      const { visibility } = links[n]!;
      links[n]!.visibility = visibility === 'public' ? 'unlisted' : 'public';
      const { status } = await service.update(account.live, links[n]!._id, { visibility: links[n]!.visibility });
      expect(status).toBe(200);
    }
  };
  const changing = change();
  const counted: Record<string, Set<unknown>> = {};
  const note = (what: string, value: unknown) => {
    counted[what] = (counted[what] ?? new Set()).add(value);
  };
  for (let round = 0; round < 3; round++) {
    const filtered = await service.list(account.live, { hashtag: 'x', domain: 'example.com' });
    note('filters', filtered.body.total);
    const found = await service.list(account.live, { q: 'one', last_clicked_before: '2030-01-01T00:00:00Z' });
    note('a search', found.body.total);
    const { body } = await service.request<HashtagList>(account.live, 'GET', '/api/v1/hashtags');
    note('hashtags', body.hashtags[0]?.links);
  }
  isCounting = false;
  await changing;
  const exact = new Set([count]);
  expect(counted).toEqual({ filters: exact, 'a search': exact, hashtags: exact });
});

test('a list of the few links that are visible among thousands is exact, for both keys and every sort', async () => {
  const account = await service.createAccount();
  const links = await seed(
    account,
    Array.from({ length: 2_300 }, (_, n) => ({
      title: `title ${n % 7}`,
      visibility: n % 31 === 0 ? 'public' : 'private',
      archived: n % 23 !== 0 && n % 31 !== 0,
      clicks: n % 13,
    })),
  );
  for (const identity of [account.live, account.public])
    for (const sort of ['created_at', 'updated_at', 'title', 'slug', 'clicks'] as const)
      for (const dir of ['asc', 'desc'] as const) {
        const query = { sort, dir, archived: 'false' } as const;
        const expected = scan(links, identity === account.public, { q: '', ...query });
        for (const page of dir === 'asc' ? [2] : [1, 99]) {
          const { body } = await service.list(identity, { ...query, page });
          expect([query, body.total]).toEqual([query, expected.length]);
          expect([query, body.links.map(({ id }) => id)]).toEqual([query, expected.slice(25 * (page - 1), 25 * page)]);
        }
      }
});

describe('filters', () => {
  let account: TestAccount;
  let links: LinkDocument[];
  beforeAll(async () => {
    account = await service.createAccount();
    links = await seed(account, [
      { slug: `f1-${account.id}`, hashtags: ['sale'], destination_url: 'https://shop.example.com/' },
      {
        slug: `f2-${account.id}`,
        archived: true,
        destination_url: 'https://bücher.example/',
        expires_at: new Date(1.6e12),
        managed_by: 'team-a/links.yaml',
      },
    ]);
  });
  const slugs = async (query: Record<string, string>) => {
    const { body } = await service.list(account.live, query);
    expect(body.total).toBe(body.links.length);
    return body.links.map(({ slug }) => slug.slice(0, 2));
  };

  test.each<[Record<string, string>, string[]]>([
    [{}, ['f1']],
    [{ archived: 'true' }, ['f2']],
    [{ archived: 'any' }, ['f2', 'f1']],
    [{ hashtag: '#SALE' }, ['f1']],
    [{ domain: 'EXAMPLE.com' }, ['f1']],
    [{ domain: 'xample.com' }, []],
    [{ domain: 'EXAMPLE.com.' }, ['f1']],
    [{ domain: 'bücher.example', archived: 'any' }, ['f2']],
    [{ domain: 'xn--bcher-kva.example', archived: 'any' }, ['f2']],
    [{ last_clicked_before: '1960-01-01' }, ['f1']],
    [{ hashtag: 'sale', q: '#other' }, []],
    [{ visibility: 'private' }, []],
    [{ created_before: '2023-11-14T22:13:20Z', archived: 'any' }, []],
    [{ created_before: '2023-11-14T22:13:20.001Z', archived: 'any' }, ['f1']],
    [{ created_before: '2023-11-15', archived: 'any' }, ['f2', 'f1']],
    [{ created_after: '2023-11-14T23:13:20.001+01:00', archived: 'any' }, ['f2']],
    [{ created_after: '2023-11-14', archived: 'any' }, ['f2', 'f1']],
    [{ created_after: '2023-11-15', created_before: '2023-11-14', archived: 'any' }, []],
    [{ created_after: '0001-01-01', created_before: '9999-12-31T23:59:59Z' }, ['f1']],
    [{ expired: 'false' }, ['f1']],
    [{ expired: 'true', archived: 'any' }, ['f2']],
    [{ expired: 'true', q: 'f2', archived: 'any' }, ['f2']],
    [{ expired: 'true', q: '#sale', archived: 'any' }, []],
    [{ managed_by: 'team-a/links.yaml', archived: 'any' }, ['f2']],
    [{ managed_by: 'team-a/links.yaml', q: 'f2', archived: 'any' }, ['f2']],
    [{ managed_by: 'team-A/links.yaml', archived: 'any' }, []],
    [{ managed_by: 'team-a/links.yaml' }, []],
    [{ destination_url: 'https://shop.example.com/' }, ['f1']],
    [{ destination_url: 'https://shop.example.com' }, []],
    [{ destination_url: 'https://SHOP.example.com/' }, []],
    [{ destination_url: 'https://shop.example.com/', domain: 'example.org' }, []],
    [{ destination_url: 'https://shop.example.com/', q: 'f1', hashtag: 'sale' }, ['f1']],
  ])('%j finds %j', async (query, expected) => {
    expect(await slugs(query)).toEqual(expected);
  });

  test.each([
    { domain: '' },
    { domain: '*.example.com' },
    { created_before: 'yesterday' },
    { created_after: '2026-02-30' },
    { expired: 'any' },
    { destination_url: 'example.com' },
    { destination_url: `https://example.com/${'x'.repeat(2_048)}` },
    { domain: 'a'.repeat(254) },
    { hashtag: 'no tag' },
    { archived: 'maybe' },
    { visibility: 'hidden' },
    { last_clicked_before: 'yesterday' },
    { last_clicked_before: '2026-02-30' },
    { fields: 'slug,nothing' },
    { fields: '' },
  ])('%j is 422 and names the parameter', async (query) => {
    const answer = await service.list(account.live, query as Record<string, string>);
    expect(answer.status).toBe(422);
    expect(answer.body.error).toContain(`"${Object.keys(query)[0]}" must be`);
  });

  test.each([
    ...['*.example.com', '.example.com', 'https://example.com', 'https://example.com/', 'example.com/path'],
    ...['example.com:8080', 'me@example.com', 'example.com,example.org', 'example..com', '*'],
  ])('the domain %s is 422 and says what to send', async (domain) => {
    const answer = await service.list(account.live, { domain });
    expect([answer.status, answer.body]).toEqual([
      422,
      {
        error: `"domain" must be a host name alone, such as example.com, which finds the hosts below it too; you sent "${domain}".`,
      },
    ]);
  });

  test('`fields` limits each link to these fields and its id', async () => {
    const { body } = await service.list(account.live, {
      fields: 'slug,clicks',
      archived: 'any',
      sort: 'slug',
      dir: 'asc',
    });
    expect(body.links).toEqual(links.map(({ _id, slug }) => ({ id: _id, slug, clicks: 0 })));
  });
});

test('a link has expired from the moment of expires_at on, in lists with and without a search', async () => {
  const moment = Date.now() + 3_600_000;
  let now = moment - 1;
  const clocked = await Service.start({ now: () => now });
  try {
    const { live } = await clocked.createAccount();
    const { id } = await clocked.createLink(live, { title: 'sale', expires_at: new Date(moment).toISOString() });
    const found = async (query: Record<string, string>) => {
      const { body } = await clocked.list(live, query);
      return body.links.map((link) => link.id);
    };
    for (const expired of [false, true]) {
      now = expired ? moment : moment - 1;
      for (const search of [{}, { q: 'sale' }] as Record<string, string>[])
        for (const is of [false, true])
          expect(await found({ ...search, expired: String(is) })).toEqual(is === expired ? [id] : []);
    }
    await clocked.update(live, id, { expires_at: null });
    for (const search of [{}, { q: 'sale' }] as Record<string, string>[])
      expect([await found({ ...search, expired: 'true' }), await found({ ...search, expired: 'false' })]).toEqual([
        [],
        [id],
      ]);
  } finally {
    await clocked.close();
  }
});

test('an imported link is found by the creation time that it had elsewhere', async () => {
  const account = await service.createAccount();
  const slug = `imported-${account.id.slice(-8)}`;
  const file = `slug,destination_url,created_at\n${slug},https://example.com/,2019-05-06T07:08:09.010Z\n`;
  expect(await new JobsClient(service, account.live).runImport(file)).toMatchObject({ created: 1 });
  const total = async (query: Record<string, string>) => (await service.list(account.live, query)).body.total;
  expect(await total({ created_after: '2019-05-06T07:08:09.010Z', created_before: '2019-05-06T07:08:09.011Z' })).toBe(
    1,
  );
  expect(await total({ created_before: '2019-05-06T07:08:09.010Z' })).toBe(0);
  expect(await total({ created_after: '2019-05-06T07:08:09.011Z' })).toBe(0);
});

test('the filters do not reveal a hidden link to a public key or another account', async () => {
  const account = await service.createAccount();
  const other = await service.createAccount();
  await seed(account, [
    { visibility: 'private', destination_url: 'https://secret.example/', expires_at: new Date(1.6e12), title: 'x' },
  ]);
  for (const query of [
    { destination_url: 'https://secret.example/' },
    { destination_url: 'https://secret.example/', q: 'x' },
    { expired: 'true' },
    { expired: 'true', q: 'x' },
    { created_after: '2023-11-14', created_before: '2023-11-15' },
    { created_after: '2023-11-14', q: 'x' },
  ] as Record<string, string>[]) {
    expect((await service.list(account.live, query)).body.total).toBe(1);
    for (const identity of [account.public, other.live, other.public])
      expect((await service.list(identity, query)).body).toMatchObject({ links: [], total: 0 });
  }
});
