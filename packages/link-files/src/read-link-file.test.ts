import { gzipSync } from 'node:zlib';
import { LINK_FILE_FORMATS } from '@waymark/contract';
import { expect, test } from 'vitest';
import { linksOf, open, refusalOf, rowsOf } from '../test/support/read.ts';
import type { FileLink } from './index.ts';

// docs/operations.md, Import and export: which files are read, and what becomes of their rows.

/** For each service: a file as it exports it, and what must become of its links. */
const EXPORTS: Record<string, { content: string; links: FileLink[] }> = {
  Bitly: {
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
    content: 'source,target,hits\r\n/yourls3/,https://example.com/y3,5\r\n',
    links: [{ slug: 'yourls3', destination_url: 'https://example.com/y3' }],
  },
  'the API of YOURLS': {
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

test.each(Object.entries(EXPORTS))('an export of %s is recognized and read', async (name, { content, links }) => {
  const read = await linksOf(content);
  expect(read).toMatchObject(links);
  expect(read).toHaveLength(links.length);
  const format = LINK_FILE_FORMATS.find((one) => name.toLowerCase().includes(one));
  expect((await open(content)).format).toBe(format);
  expect(await linksOf(content, { format })).toEqual(read);
});

test('the columns are told as they are understood, before any row, and those that nobody used at the end', async () => {
  const file = await open(
    'Bitlink,Long URL,Engagements,Archived,Meine Notiz\nbit.ly/a,https://example.com/,5,false,x\n',
  );
  expect([file.format, file.columns]).toEqual([
    'bitly',
    { slug: 'Bitlink', destination_url: 'Long URL', archived: 'Archived' },
  ]);
  for await (const { row } of file.rows) expect(row).toBe(2);
  expect(file.unusedColumns).toEqual(['Engagements', 'Meine Notiz']);
  const bitly = {
    id: 'bit.ly/r',
    custom_bitlinks: ['https://bit.ly/c'],
    long_url: 'https://example.com/',
    archived: false,
  };
  const generated = await open(JSON.stringify([bitly]));
  for await (const _ of generated.rows);
  expect(generated.unusedColumns).toEqual([]);
  const rows = [
    { shortCode: 'a', longUrl: 'https://example.com/', visits: 1 },
    { shortCode: 'b', longUrl: 'https://example.com/', visits: 1, crawlable: false },
  ];
  const json = await open(JSON.stringify(rows));
  expect([json.format, json.columns]).toEqual(['shlink', { slug: 'shortCode', destination_url: 'longUrl' }]);
  for await (const _ of json.rows);
  expect(json.unusedColumns).toEqual(['visits', 'crawlable']);
});

test('a file whose columns only have known names is read, and so is a JSON file with them in some rows', async () => {
  const file = await open('slug,url,comment\na,https://example.com/,N\n');
  expect([file.format, file.columns]).toEqual(['auto', { slug: 'slug', destination_url: 'url', note: 'comment' }]);
  const rows = ['{"id":1}', '[]', '{"slug":"a","url":"https://example.com/"}', '{"slug":"b","note":"N"}'];
  expect(await rowsOf(rows.join('\n'))).toEqual([
    { row: 1, link: {} },
    { row: 2, error: 'The row is not a JSON object.' },
    { row: 3, link: { slug: 'a', destination_url: 'https://example.com/' } },
    { row: 4, link: { slug: 'b', note: 'N' } },
  ]);
});

test('a mapping reads any file, and only the columns that it names', async () => {
  const columns = { destination_url: 'Ziel-URL', slug: 'Kurz', note: 'title' };
  const csv = 'Kurz;Ziel-URL;title;url\na;https://example.com/;N;https://example.com/other\n';
  const file = await open(csv, { columns });
  expect([file.format, file.columns]).toEqual(['auto', columns]);
  const link = { slug: 'a', destination_url: 'https://example.com/', note: 'N' };
  expect(await linksOf(csv, { columns })).toEqual([link]);
  const json = [{ Kurz: 'a', 'Ziel-URL': 'https://example.com/', title: 'N', url: 'x' }, { 'Ziel-URL': 'y' }];
  expect(await linksOf(JSON.stringify(json), { columns })).toEqual([link, { destination_url: 'y' }]);
});

test('a mapping does not open what is closed: limits, expiries and visibilities count without being named', async () => {
  const columns = { destination_url: 'Ziel' };
  expect(await refusalOf('Ziel,banned\nhttps://example.com/,1\n', { columns })).toContain('"banned"');
  const csv = 'Ziel,expires,visibility,title\nhttps://example.com/,2030-01-01,private,T\n';
  expect(await linksOf(csv, { columns })).toEqual([
    { destination_url: 'https://example.com/', expires_at: '2030-01-01T00:00:00.000Z', visibility: 'private' },
  ]);
});

test.each<[Record<string, string>, string]>([
  [{ destination_url: 'Ort' }, 'The file has no column "Ort"; it has "Ziel", "Kurz".'],
  [{ slug: 'Kurz' }, '"columns" must have "destination_url".'],
  [{ destination_url: 'Ziel', clicks: 'Kurz' }, '"columns" has "clicks"; the fields are '],
  [{ destination_url: 'Ziel', password: 'Kurz' }, '"columns" has "password"; the fields are '],
])('the mapping %j is an error that says why', async (columns, message) => {
  await expect(open('Ziel,Kurz\nhttps://example.com/,a\n', { columns })).rejects.toThrow(message);
});

test('a file that is not of the service that the caller names is an error', async () => {
  const opening = open('slug,url\na,https://example.com/\n', { format: 'kutt' });
  await expect(opening).rejects.toThrow(
    'The file is not an export of kutt: that has the columns address and target; this has "slug", "url".',
  );
});

test.each<[string, string | Uint8Array, string]>([
  ['names that are not known', 'Kurzlink;Ziel-URL\na;b\n', 'the file begins with the columns "Kurzlink", "Ziel-URL".'],
  ['names in another script', '短い URL,元の URL\na,b\n', 'the file begins with the columns "短い URL", "元の URL".'],
  ['only a header row of other names', 'Name,Ort\n', 'The file has no column for the destination, with '],
  ['no header row', 'a,https://example.com/\nb,https://example.com/\n', 'The first line must be a header row, with '],
  ['a web page', '\n<!doctype html>\n<html></html>', 'The file is HTML or XML.'],
  ['a spreadsheet', Buffer.from('PK\x03\x04\x14\x00\x06\x00'), 'The file is a spreadsheet or a ZIP archive;'],
  [
    'an old spreadsheet',
    Buffer.from('d0cf11e0a1b11ae1', 'hex'),
    'The file is a spreadsheet of an old version of Excel;',
  ],
  ['gzip', gzipSync('slug,url\na,https://example.com/\n'), 'The file is compressed (gzip);'],
  ['an image', Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'), 'The file is neither UTF-8 nor'],
  ['other bytes', Buffer.from('abcd\0\0\0\n'), 'The file is not text.'],
  ['JSON that breaks off', '[{', 'The file is not valid JSON: it ends too early.'],
  ['JSON without a list', '{\n"a": 1}', 'The file has no list of links; the known names are links, data,'],
  ['JSON with other names', '[{"Ziel":"https://example.com/"}]', 'the file begins with the columns "Ziel".'],
  ['JSON without objects', '[1,2]', 'The file has no column for the destination'],
  ['ndjson with other names', '{"Ziel":"a"}\n{"Ziel":"b"}\n', 'the file begins with the columns "Ziel".'],
])('a file with %s is one error before any row', async (_, content, message) => {
  const error = await open(content).catch((reason: unknown) => reason);
  expect(error).toMatchObject({ code: 'invalid', message: expect.stringContaining(message) });
});

test.each([
  '',
  '\ufeff',
  '\r\n\n',
  'slug,url\n',
  'sep=;\nslug;url\n',
  '[]',
  '{"links": []}\n',
  '{"result": {"data": []}, "count": 0}',
])('the file %j has no rows', async (content) => {
  expect(await rowsOf(content)).toEqual([]);
});

test('the media type decides between CSV and JSON', async () => {
  const json = '{"url":"https://example.com/"}';
  expect(await linksOf(json, { contentType: 'application/x-ndjson' })).toHaveLength(1);
  expect(await linksOf(`[${json}]`, { contentType: 'application/json; charset=utf-8' })).toHaveLength(1);
  await expect(open(json, { contentType: 'text/csv' })).rejects.toThrow('The file has no column for the destination');
  await expect(open('url\n', { contentType: 'application/json' })).rejects.toThrow('The file is not valid JSON');
});

test('JSON is read piece by piece, up to what is not valid in it', async () => {
  const row = (n: number) => ({ slug: `s${n}`, url: 'https://example.com/', tags: [{ id: n, name: 'é夏😀' }] });
  const links = Array.from({ length: 5_000 }, (_, n) => row(n));
  const content = `\uFEFF{"total": 5000, "data": {"links": ${JSON.stringify(links, null, 1)}}, "more": [{}]}\n`;
  const rows = await rowsOf(content);
  expect(rows.map(({ row }) => row)).toEqual(links.map((_, n) => n + 1));
  expect(rows[4_999]).toMatchObject({ link: { slug: 's4999', hashtags: ['é夏-'] } });
  const read: unknown[] = [];
  const reading = async () => {
    const file = await open(JSON.stringify(links).replace('"s4000"', 's4000'));
    for await (const one of file.rows) read.push(one);
  };
  await expect(reading()).rejects.toThrow('The file is not valid JSON after row 4000: ');
  expect(read).toHaveLength(4_000);
});

test('JSON with several lists of links is read whole', async () => {
  const content = { links: [{ url: 'https://example.com/1' }], data: { links: [{ url: 'https://example.com/2' }] } };
  expect(await linksOf(JSON.stringify(content))).toHaveLength(2);
});
