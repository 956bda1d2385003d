import { expect, test } from 'vitest';
import { linksOf, open, rowsOf } from '../../test/support/read.ts';
import { type FileHosts, RowError } from '../index.ts';

// docs/operations.md, Import and export: on which host the links of a file are.

const URL = 'https://example.com/';
const GO = 'go.example.com';
const SHOP = 'shop.example.com';

/** An account with two verified hosts and one that waits, on a service at short.example. */
const HOSTS: FileHosts = {
  unnamed: null,
  find(name) {
    if (name === 'wait.example.com') throw new RowError('The host wait.example.com is not verified.');
    return name === 'short.example' ? null : [GO, SHOP].includes(name) ? name : undefined;
  },
};

type Placed = [slug: string | undefined, host: string | null];

async function placesOf(content: string, hosts = HOSTS, columns?: Record<string, string>): Promise<Placed[]> {
  return (await linksOf(content, { columns }, hosts)).map(({ slug, host = null }) => [slug, host]);
}

const csv = (header: string, ...rows: string[]) => [header, ...rows].join('\n');
const json = (...rows: object[]) => JSON.stringify(rows);

test.each<[string, string, Placed[]]>([
  [
    'YOURLS',
    csv('shorturl,url', `https://${GO}/yo1,${URL}`, `https://short.example/yo2,${URL}`),
    [
      ['yo1', GO],
      ['yo2', null],
    ],
  ],
  ['the API of YOURLS', json({ shorturl: `http://${GO}/yo1`, url: URL }), [['yo1', GO]]],
  [
    'the API of Dub',
    json({ key: 'du1', domain: GO, url: URL }, { key: 'du1', domain: SHOP, url: URL }),
    [
      ['du1', GO],
      ['du1', SHOP],
    ],
  ],
  ['Dub', csv('Short link,Destination URL', `https://${GO}/du1,${URL}`), [['du1', GO]]],
  [
    'Shlink',
    csv(
      'createdAt,domain,shortUrl,longUrl,title,shortCode,tags,visits',
      `2022-06-06T06:06:06+02:00,${GO},https://${GO}/s1,${URL},,s1,,4`,
      `2022-06-06T06:06:06+02:00,,https://${SHOP}/s2,${URL},,s2,,4`,
    ),
    [
      ['s1', GO],
      ['s2', SHOP],
    ],
  ],
  [
    'the API of Shlink',
    json({ shortCode: 's1', shortUrl: `https://${GO}/s1`, longUrl: URL, domain: null }),
    [['s1', GO]],
  ],
  [
    'the API of Kutt',
    JSON.stringify({
      data: [
        { address: 'k1', target: URL, link: `https://${GO}/k1`, domain: null },
        { address: 'k2', target: URL, link: 'https://kutt.it/k2', domain: SHOP },
      ],
    }),
    [
      ['k1', GO],
      ['k2', SHOP],
    ],
  ],
  [
    'Bitly',
    csv('Link,Custom Link,Long URL', `https://bit.ly/r,"https://${GO}/c1,https://${SHOP}/c2",${URL}`),
    [
      ['c1', GO],
      ['c2', SHOP],
    ],
  ],
  ['Bitly without custom links', csv('Bitlink,Long URL', `${GO}/b1,${URL}`), [['b1', GO]]],
  [
    'the API of Short.io',
    JSON.stringify({
      links: [
        { path: 'p1', originalURL: URL, shortURL: `https://${GO}/p1`, DomainId: 5, source: 'website' },
        { path: 'p2', originalURL: URL, secureShortURL: `https://${SHOP}/p2`, DomainId: 5 },
      ],
    }),
    [
      ['p1', GO],
      ['p2', SHOP],
    ],
  ],
  [
    'the API of Rebrandly',
    json(
      { slashtag: 'r1', destination: URL, shortUrl: `${GO}/r1`, domainName: GO },
      { slashtag: 'r2', destination: URL, domain: { id: '8f', ref: '/domains/8f', fullName: SHOP } },
    ),
    [
      ['r1', GO],
      ['r2', SHOP],
    ],
  ],
  ['the API of T.LY', json({ short_url: `https://${GO}/t1`, domain: `https://${GO}/`, long_url: URL }), [['t1', GO]]],
])('the links of %s are on the hosts that the file names', async (_, content, places) => {
  expect(await placesOf(content)).toEqual(places);
});

test.each([
  'host',
  'Host name',
  'hostname',
  'domain',
  'domainName',
  'Domain Name',
  'short_domain',
  'shortDomain',
  'shortlink_domain',
  'custom-domain',
  'brandedDomain',
  'Link domain',
  'short host',
  'vanity_domain',
])('the column %s names the host', async (column) => {
  for (const name of [GO, 'GO.example.com', `${GO}.`, ` ${GO} `, `https://${GO}/`, `${GO}:443`, `//${GO}`])
    for (const content of [
      csv(`slug,url,${column}`, `a,${URL},${name}`),
      json({ slug: 'a', url: URL, [column]: name }),
    ])
      expect([name, await placesOf(content)]).toEqual([name, [['a', GO]]]);
  const file = await open(csv(`slug,url,${column}`, `a,${URL},${GO}`), {}, { hosts: HOSTS });
  for await (const _ of file.rows);
  expect([file.columns.host, file.unusedColumns]).toEqual([column, []]);
});

test.each(['domain_id', 'DomainId', 'destination_domain', 'referrer_host', 'url_host', 'root_domain', 'hosting', 'ip'])(
  'the column %s is not used',
  async (column) => {
    const file = await open(csv(`slug,url,${column}`, `a,${URL},${GO}`), {}, { hosts: HOSTS });
    for await (const row of file.rows) expect(row).toMatchObject({ link: { slug: 'a', destination_url: URL } });
    expect(file.unusedColumns).toEqual([column]);
    expect(await placesOf(csv(`slug,url,${column}`, `a,${URL},${GO}`))).toEqual([['a', null]]);
  },
);

test.each(['slug', 'alias', 'short_id', 'path', 'keyword', 'link', 'shortUrl'])(
  'a whole short URL in the column %s names the host',
  async (column) => {
    for (const url of [
      `https://${GO}/a`,
      `http://${GO}:8080/a/`,
      `${GO}/a`,
      `//${GO}/a`,
      `HTTPS://GO.EXAMPLE.com./a?x=1`,
    ])
      expect([url, await placesOf(csv(`${column},long_url`, `${url},${URL}`))]).toEqual([url, [['a', GO]]]);
  },
);

test('a mapping names the columns of hosts and of short URLs', async () => {
  const content = csv('Kurz,Ziel,Netz', `a,${URL},${GO}`);
  expect(await placesOf(content, HOSTS, { destination_url: 'Ziel', slug: 'Kurz', host: 'Netz' })).toEqual([['a', GO]]);
  const urls = csv('Kurz,Ziel', `${GO}/a,${URL}`);
  expect(await placesOf(urls, HOSTS, { destination_url: 'Ziel', slug: 'Kurz' })).toEqual([['a', GO]]);
});

test('a host that is not of the account is the default host, and so is what is no host', async () => {
  for (const host of ['bit.ly', 'short.example', 'a b', '-', 'default', 'localhost:8080'])
    expect([host, await placesOf(csv('slug,url,host', `a,${URL},${host}`))]).toEqual([host, [['a', null]]]);
  expect(await placesOf(csv('shortLink,url', `bit.ly/x,${URL}`))).toEqual([['x', null]]);
});

test('of several names, the first one of the account or of the service counts', async () => {
  const file = (host: string, url: string) => csv('short_url,long_url,domain', `${url},${URL},${host}`);
  expect(await placesOf(file('example.com', `https://${GO}/a`))).toEqual([['a', GO]]);
  expect(await placesOf(file(SHOP, 'https://bit.ly/a'))).toEqual([['a', SHOP]]);
  expect(await placesOf(file(SHOP, `https://${GO}/a`))).toEqual([['a', SHOP]]);
  expect(await placesOf(file('short.example', `https://${GO}/a`))).toEqual([['a', null]]);
  // The short URL of another slug says nothing.
  expect(await placesOf(json({ slug: 'a', url: URL, link: `https://${GO}/b` }))).toEqual([['a', null]]);
});

test('a row that names no host is on the host of the import', async () => {
  const content = csv(
    'slug,url,host',
    `a,${URL},`,
    `b,${URL},${SHOP}`,
    `c,${URL},bit.ly`,
    `,${URL},`,
    `https://short.example/e,${URL},`,
  );
  expect(await placesOf(content, { ...HOSTS, unnamed: GO })).toEqual([
    ['a', GO],
    ['b', SHOP],
    ['c', null],
    [undefined, GO],
    ['e', null],
  ]);
});

test('a row is refused if its host is refused, or is no text', async () => {
  expect(await rowsOf(csv('slug,url,host', `a,${URL},wait.example.com`, `b,${URL},${GO}`), {}, HOSTS)).toEqual([
    { row: 2, error: 'The host wait.example.com is not verified.' },
    { row: 3, link: { slug: 'b', destination_url: URL, host: GO } },
  ]);
  for (const domain of [{ id: 5 }, [GO], { fullName: { toString: 1 } }])
    expect(await rowsOf(json({ url: URL, domain }), {}, HOSTS)).toEqual([
      { row: 1, error: 'The column "domain" must be a text; it is a JSON list or object.' },
    ]);
});

test('in an export of Waymark, the column of the host decides, and a host of nobody is refused', async () => {
  const header = 'slug,host,short_url,destination_url,updated_at';
  const row = (slug: string, host: string, shortUrl: string) => `${slug},${host},${shortUrl},${URL},`;
  const content = csv(
    header,
    row('a', GO, `https://old.example/a`),
    row('b', '', `https://${SHOP}/b`),
    row('c', 'no.example', 'https://no.example/c'),
  );
  expect(await rowsOf(content, {}, HOSTS)).toEqual([
    { row: 2, link: { slug: 'a', destination_url: URL, host: GO } },
    { row: 3, link: { slug: 'b', destination_url: URL } },
    {
      row: 4,
      error:
        'The host "no.example" is no host of this account; add and verify it, or empty it to use the default host.',
    },
  ]);
  const without = csv('slug,short_url,destination_url', `a,https://${GO}/a,${URL}`, `b,https://old.example/b,${URL}`);
  expect(await placesOf(without)).toEqual([
    ['a', GO],
    ['b', null],
  ]);
});

test('one slug on several hosts is several links', async () => {
  const row = {
    id: 'bit.ly/r',
    long_url: URL,
    custom_bitlinks: [`https://${GO}/c`, `https://${SHOP}/C`, `https://${GO}/C`],
  };
  expect(await placesOf(json(row))).toEqual([
    ['c', GO],
    ['C', SHOP],
  ]);
});
