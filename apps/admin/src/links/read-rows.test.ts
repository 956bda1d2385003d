import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CreateLinkInput } from '@waymark/contract';
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
    ],
  },
  Shlink: {
    file: 'shlink.csv',
    content:
      'createdAt,domain,shortUrl,longUrl,title,shortCode,tags,visits\n' +
      '2022-06-06T06:06:06+02:00,,https://s.test/shlink-one,https://example.com/s1,,shlink-one,one|two,4\n',
    links: [
      {
        slug: 'shlink-one',
        destination_url: 'https://example.com/s1',
        hashtags: ['one', 'two'],
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
    return { ...link.input, created_at: link.createdAt.toISOString() };
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
