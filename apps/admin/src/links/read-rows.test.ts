import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type CreateLinkInput,
  type ExportFormat,
  exportHeader,
  exportLines,
  isHashtag,
  type Link,
  normalizeHashtags,
} from '@waymark/contract';
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { readRows } from './read-rows.ts';
import { linkOfRow } from './row.ts';

const directory = mkdtempSync(join(tmpdir(), 'rows-'));
afterAll(() => rmSync(directory, { recursive: true }));

async function rowsOf(file: string, content: string) {
  writeFileSync(join(directory, file), content);
  return collect(readRows(join(directory, file)));
}

async function collect<Value>(values: AsyncIterable<Value>): Promise<Value[]> {
  const all: Value[] = [];
  for await (const value of values) all.push(value);
  return all;
}

type Expected = Partial<CreateLinkInput> & { created_at?: string };

/** For each service: a file as it exports it, and what must become of its links. */
const EXPORTS: Record<string, { file: string; content: string; links: Expected[] }> = {
  Bitly: {
    file: 'bitly.csv',
    content:
      'Created,Bitlink,Long URL,Title,Tags,Engagements\r\n' +
      '2024-03-01T10:00:00+0000,bit.ly/BitlyOne,https://example.com/b1,"Spring, big",Summer Sale|ads,12\r\n',
    links: [
      {
        slug: 'BitlyOne',
        destination_url: 'https://example.com/b1',
        title: 'Spring, big',
        hashtags: ['summer-sale', 'ads'],
        created_at: '2024-03-01T10:00:00.000Z',
      },
    ],
  },
  'Bitly, with custom links': {
    file: 'bitly-custom.csv',
    content:
      'Link,Custom Link,Destination URL,Title,Date Created,Tags\n' +
      'https://bit.ly/3abcdef,https://go.acme.example/spring,https://example.com/b3,Spring,2024-03-03,\n' +
      'https://bit.ly/3xyzabc,,https://example.com/b4,,2024-03-03,\n',
    links: [
      { slug: 'spring', destination_url: 'https://example.com/b3', created_at: '2024-03-03T00:00:00.000Z' },
      { slug: '3xyzabc', destination_url: 'https://example.com/b4' },
    ],
  },
  'the API of Bitly': {
    file: 'bitly.json',
    content: JSON.stringify({
      links: [
        {
          id: 'bit.ly/x',
          link: 'https://bit.ly/x1',
          custom_bitlinks: ['https://go.acme.example/bitly-api'],
          long_url: 'https://example.com/b2',
          title: 'B',
          tags: ['a'],
          created_at: '2024-03-02T10:00:00+0000',
        },
      ],
    }),
    links: [
      {
        slug: 'bitly-api',
        destination_url: 'https://example.com/b2',
        hashtags: ['a'],
        created_at: '2024-03-02T10:00:00.000Z',
      },
    ],
  },
  Dub: {
    file: 'dub.csv',
    content:
      'Short link,Destination URL,Clicks,Created at,Updated at,Tags,Title,Description,Comments\n' +
      'https://dub.sh/dub-one,https://example.com/d1,3,2024-04-01T09:30:00.123Z,2024-04-02T00:00:00.000Z,"red,blue",T,D,N\n',
    links: [
      {
        slug: 'dub-one',
        destination_url: 'https://example.com/d1',
        title: 'T',
        description: 'D',
        note: 'N',
        hashtags: ['red', 'blue'],
        created_at: '2024-04-01T09:30:00.123Z',
      },
    ],
  },
  Kutt: {
    file: 'kutt.json',
    content: JSON.stringify(
      {
        total: 2,
        data: [
          {
            id: 'a1',
            address: 'kutt-one',
            target: 'https://example.com/k1',
            description: 'K',
            password: false,
            link: 'https://kutt.it/kutt-one',
            created_at: '2023-05-05T05:05:05.000Z',
            visit_count: 7,
            expire_in: null,
          },
          {
            address: 'kutt-two',
            target: 'https://example.com/k2',
            password: false,
            created_at: '2023-05-05T05:05:05.000Z',
            expire_in: '2024-05-05 05:05:05',
          },
        ],
      },
      null,
      2,
    ),
    links: [
      {
        slug: 'kutt-one',
        destination_url: 'https://example.com/k1',
        description: 'K',
        created_at: '2023-05-05T05:05:05.000Z',
      },
      { slug: 'kutt-two', destination_url: 'https://example.com/k2', expires_at: '2024-05-05T05:05:05.000Z' },
    ],
  },
  Shlink: {
    file: 'shlink.csv',
    content:
      'createdAt,domain,shortUrl,longUrl,title,shortCode,tags,visits\n' +
      '2022-06-06T06:06:06+02:00,,https://s.test/shlink-one,https://example.com/s1,,shlink-one,one|two|می\u200cخواهم|スター・ウォーズ 7,4\n',
    links: [
      {
        slug: 'shlink-one',
        destination_url: 'https://example.com/s1',
        hashtags: ['one', 'two', 'می\u200cخواهم', 'スター・ウォーズ-7'],
        created_at: '2022-06-06T04:06:06.000Z',
      },
    ],
  },
  'the API of Shlink': {
    file: 'shlink.json',
    content: JSON.stringify({
      shortUrls: {
        data: [
          {
            shortCode: 'shlink-two',
            shortUrl: 'https://s.test/shlink-two',
            longUrl: 'https://example.com/s2',
            dateCreated: '2022-06-06T06:06:06+02:00',
            tags: ['one'],
            meta: { validSince: '2022-07-01T00:00:00+02:00', validUntil: '2024-01-01T00:00:00+01:00', maxVisits: null },
            domain: null,
            title: null,
          },
        ],
        pagination: { currentPage: 1, pagesCount: 1 },
      },
    }),
    links: [
      {
        slug: 'shlink-two',
        destination_url: 'https://example.com/s2',
        hashtags: ['one'],
        expires_at: '2023-12-31T23:00:00.000Z',
        created_at: '2022-06-06T04:06:06.000Z',
      },
    ],
  },
  YOURLS: {
    file: 'yourls.csv',
    content:
      'keyword;url;title;timestamp;ip;clicks\nyourls1;https://example.com/y1;"Y; 1";2012-07-07 07:07:07;192.0.2.1;5\n',
    links: [
      {
        slug: 'yourls1',
        destination_url: 'https://example.com/y1',
        title: 'Y; 1',
        created_at: '2012-07-07T07:07:07.000Z',
      },
    ],
  },
  "YOURLS' export plugin": {
    file: 'yourls_export.csv',
    content: 'source,target,hits\r\n/yourls3/,https://example.com/y3,5\r\n',
    links: [{ slug: 'yourls3', destination_url: 'https://example.com/y3' }],
  },
  'the API of YOURLS': {
    file: 'yourls.json',
    content: JSON.stringify({
      links: {
        link_1: {
          shorturl: 'http://sho.rt/yourls2',
          url: 'https://example.com/y2',
          title: 'Y',
          timestamp: '2012-07-08 07:07:07',
          ip: '192.0.2.1',
          clicks: '5',
        },
      },
      stats: { total_links: '1' },
    }),
    links: [{ slug: 'yourls2', destination_url: 'https://example.com/y2', created_at: '2012-07-08T07:07:07.000Z' }],
  },
};

test.each(Object.entries(EXPORTS))('an export of %s is read', async (_, { file, content, links }) => {
  const read = (await rowsOf(file, content)).map((one) => {
    if ('error' in one) throw new Error(one.error);
    const link = linkOfRow(one.row)!;
    return { ...link.input, created_at: link.createdAt?.toISOString() };
  });
  expect(read).toMatchObject(links);
  expect(read).toHaveLength(links.length);
});

test('the password of Kutt cannot be imported, so the link is refused instead of being open to everyone', async () => {
  const row = { address: 'a', target: 'https://example.com/', password: true };
  expect(() => linkOfRow(row)).toThrow('The link has a password');
  expect(linkOfRow({ ...row, password: false })!.input).toEqual({ slug: 'a', destination_url: 'https://example.com/' });
});

test.each([
  ['missing.csv', null, /^Cannot read .*missing\.csv: ENOENT/],
  ['broken.json', '[{', /is not valid JSON/],
  ['other.json', '{\n"a": 1}', /has no list of links/],
])('the file %s is one clear error', async (name, content, error) => {
  if (content !== null) writeFileSync(join(directory, name), content);
  await expect(collect(readRows(join(directory, name)))).rejects.toThrow(error);
});

test('a wrong quote hides no other row, one that never ends is listed, and an empty file has no rows', async () => {
  expect(await rowsOf('empty.csv', '')).toEqual([]);
  const rows = await rowsOf('quote.csv', 'slug,url\na,"b" c\nd,https://example.com/\ne,"never\nends\n');
  expect(rows).toEqual([
    { line: 2, row: { slug: 'a', url: '"b" c' } },
    { line: 3, row: { slug: 'd', url: 'https://example.com/' } },
    { line: expect.any(Number), error: expect.stringContaining('not valid CSV') },
  ]);
});

test.each([
  [{ meta: { maxVisits: 5 } }, 'The link ends after 5 visits'],
  [{ maxVisits: '5' }, 'The link ends after 5 visits'],
  [{ meta: { validSince: '2999-01-01T00:00:00Z' } }, 'The link begins on 2999-01-01T00:00:00.000Z'],
  [{ validUntil: 'next week' }, 'The expiry "next week" cannot be read; write it like 2024-03-01T10:00:00Z.'],
  [{ created: '03/01/2024' }, 'The creation time "03/01/2024" cannot be read'],
  [{ shortCode: '', link: 'https://s.test/%zz' }, 'The short URL "https://s.test/%zz" has a "%" without'],
])('what cannot be kept or read is a reason that says what to change: %j', (cells, reason) => {
  expect(() => linkOfRow({ shortCode: 'a', longUrl: 'https://example.com/', ...cells })).toThrow(reason);
});

test('a time without a zone is UTC', () => {
  const timeOf = (created: unknown) => linkOfRow({ slug: 'a', created })!.createdAt?.toISOString();
  for (const time of ['2024-07-01T10:00:00', '2024-07-01 10:00', '2024-07-01 10:00:00 UTC', '2024-07-01T12:00:00+0200'])
    expect(timeOf(time)).toBe('2024-07-01T10:00:00.000Z');
  expect([timeOf(1719828000), timeOf(' ')]).toEqual(['2024-07-01T10:00:00.000Z', undefined]);
});

test('an apostrophe is removed from cells of our own exports only', async () => {
  const rows = await rowsOf('foreign.csv', "slug,destination_url,title\na,https://example.com/,'=x\n");
  expect(rows).toMatchObject([{ row: { title: "'=x" } }]);
});

const text = (maxLength: number) =>
  fc.option(
    fc.string({
      unit: fc.oneof(
        fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
        fc.constantFrom(...'=+-@\'",;\n\r\u2028\u2029\ufeff '),
      ),
      minLength: 1,
      maxLength,
    }),
  );
const time = fc
  .date({ min: new Date(0), max: new Date('2099-01-01'), noInvalidDate: true })
  .map((date) => date.toISOString());
const link: fc.Arbitrary<Link> = fc.record({
  id: fc.constant('019a4f0e8f2c7d31a4b6'),
  slug: fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9_-]{0,20}$/),
  short_url: fc.constant('https://go.example/x'),
  destination_url: fc.webUrl({ withQueryParameters: true, withFragments: true }),
  title: text(20),
  description: text(20),
  note: text(20),
  hashtags: fc
    .uniqueArray(
      fc.oneof(
        fc.string({ unit: 'binary', minLength: 1, maxLength: 3 }),
        fc.constantFrom('m²', '½', 'ⅳ', '-', '--', 'a·b', 'क्\u200dष'),
      ),
      {
        maxLength: 5,
      },
    )
    .map((tags) => normalizeHashtags(tags.filter(isHashtag))),
  visibility: fc.constantFrom('public', 'unlisted', 'private'),
  expires_at: fc.option(time),
  expired_url: fc.option(fc.webUrl()),
  archived: fc.boolean(),
  clicks: fc.nat(),
  last_clicked_at: fc.option(time),
  created_at: time,
  updated_at: time,
});

test.each<ExportFormat>(['csv', 'ndjson'])(
  'any links that are exported as %s are read as they were',
  async (format) => {
    await fc.assert(
      fc.asyncProperty(fc.array(link, { minLength: 1, maxLength: 5 }), async (links) => {
        const rows = await rowsOf(`own.${format}`, exportHeader(format) + exportLines(format, links));
        expect(rows).toHaveLength(links.length);
        for (const [position, read] of rows.entries()) {
          if ('error' in read) throw new Error(read.error);
          const { input, createdAt } = linkOfRow(read.row)!;
          const {
            created_at,
            id: _id,
            short_url: _url,
            clicks: _c,
            last_clicked_at: _l,
            updated_at: _u,
            ...fields
          } = links[position]!;
          const sent = Object.fromEntries(
            Object.entries(fields).filter(
              ([, value]) => value !== null && !(Array.isArray(value) && value.length === 0),
            ),
          );
          expect(input).toEqual(sent);
          expect(createdAt).toEqual(new Date(created_at));
        }
      }),
      { numRuns: 300 },
    );
  },
);

test('JSON is read piece by piece, up to what is not valid in it', async () => {
  const file = join(directory, 'broken-late.json');
  const row = (n: number) => ({ slug: `s${n}`, url: 'https://example.com/', tags: [{ id: n, name: 'é夏😀' }] });
  const links = Array.from({ length: 5_000 }, (_, n) => row(n));
  writeFileSync(file, `\uFEFF{"total": 5000, "data": {"links": ${JSON.stringify(links, null, 1)}}}\n`);
  expect(await collect(readRows(file))).toEqual(links.map((link, n) => ({ line: n + 1, row: link })));
  writeFileSync(file, JSON.stringify(links).replace('"s4000"', 's4000'));
  const read: unknown[] = [];
  const reading = async () => {
    for await (const one of readRows(file)) read.push(one);
  };
  await expect(reading()).rejects.toThrow(/broken-late\.json is not valid JSON after row 4000: /);
  expect(read.length).toBeGreaterThan(3_000);
});

test('JSON with an empty list has no rows', async () => {
  for (const content of ['[]', '{"links": []}\n', '{"result": {"data": []}, "count": 0}'])
    expect(await rowsOf('empty.json', content)).toEqual([]);
});
