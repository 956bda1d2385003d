import { expect, test } from 'vitest';
import { linksOf, refusalOf } from '../../test/support/read.ts';

const slugsOf = async (...rows: object[]) => (await linksOf(JSON.stringify(rows))).map(({ slug }) => slug);

test('a link of Bitly is imported once for each back-half that works on its host', async () => {
  const link = {
    id: 'bit.ly/r1',
    long_url: 'https://example.com/8',
    title: 'T',
    custom_bitlinks: ['https://bit.ly/c1', 'https://bit.ly/c2'],
  };
  expect(await slugsOf(link)).toEqual(['c1', 'c2', 'r1']);
  expect(await slugsOf({ ...link, link: 'https://bit.ly/r1' })).toEqual(['c1', 'c2', 'r1']);
  expect(await slugsOf({ ...link, custom_bitlinks: [] })).toEqual([undefined]);
  expect(await slugsOf({ ...link, custom_bitlinks: [], link: 'https://bit.ly/r1' })).toEqual(['r1']);
  // The generated one is of a host that cannot move.
  expect(await slugsOf({ ...link, custom_bitlinks: ['https://go.example/c1', 'https://x.example/c2'] })).toEqual([
    'c1',
    'c2',
  ]);
  expect(await slugsOf({ ...link, custom_bitlinks: ['https://bit.ly/c1', 'https://bit.ly/C1'] })).toEqual(['c1', 'r1']);
  expect((await linksOf(JSON.stringify([link])))[2]).toEqual({
    slug: 'r1',
    destination_url: 'https://example.com/8',
    title: 'T',
  });
});

test.each([
  '["https://bit.ly/c1", "https://bit.ly/c2"]',
  'https://bit.ly/c1,https://bit.ly/c2',
  'bit.ly/c1 | bit.ly/c2',
  'c1;c2',
])('the back-halves in the cell %j are a list', async (cell) => {
  const csv = `Link,Custom Link,Long URL\nhttps://go.example/r1,"${cell.replaceAll('"', '""')}",https://example.com/\n`;
  expect((await linksOf(csv)).map(({ slug }) => slug)).toEqual(['c1', 'c2']);
});

test.each([
  ['a, b', ['a', 'b']],
  ['a|b', ['a', 'b']],
  ['a;#B', ['a', 'b']],
  ['["a", "b c"]', ['a', 'b-c']],
  ['[]', []],
  ['[draft', ['-draft']],
])('the tags %j are the hashtags %j', async (cell, hashtags) => {
  const csv = `url\ttags\nhttps://example.com/\t"${cell.replaceAll('"', '""')}"\n`;
  expect((await linksOf(csv))[0]!.hashtags).toEqual(hashtags);
});

test.each([
  [{ slug: 'A-b_1' }, 'A-b_1'],
  [{ shortUrl: 'https://s.test/abc/' }, 'abc'],
  [{ bitlink: 'bit.ly/abc' }, 'abc'],
  [{ source: '/abc/' }, 'abc'],
  [{ short_url: 'abc' }, 'abc'],
  [{ shortUrl: 'https://s.test/%C3%BC' }, 'ü'],
  // These are no slugs. They stay as they are, so that the API says so.
  [{ keyword: 'a/b' }, 'a/b'],
  [{ keyword: 'v1.2/b' }, 'v1.2/b'],
  [{ slug: 'a.b' }, 'a.b'],
  [{ slug: 'with space' }, 'with space'],
  [{ shortUrl: 'https://s.test/a/b' }, 'a/b'],
])('the slug of %j is %j', async (columns, slug) => {
  expect(await slugsOf({ url: 'https://example.com/', ...columns })).toEqual([slug]);
});

test.each('custom_slug,url_code,shortKey,short_path,short_hash,vanity_url,link_code,short,custom_url'.split(','))(
  'the slug in the column %s is kept',
  async (column) => {
    for (const value of ['a1', 'https://s.test/a1'])
      expect(await linksOf(`${column},url\n${value},https://example.com/\n`)).toMatchObject([{ slug: 'a1' }]);
  },
);

test('a short URL that cannot be decoded is refused', async () => {
  const row = { link: 'https://s.test/%zz', longUrl: 'https://example.com/' };
  expect(await refusalOf(JSON.stringify([row]))).toBe(
    'The short URL "https://s.test/%zz" has a "%" without two hexadecimal digits of UTF-8; correct it.',
  );
});

test.each(['title', 'url', 'slug', 'note', 'expires_at'])('a JSON object as %s is refused', async (column) => {
  const row = { url: 'https://example.com/', slug: 'a', [column]: { a: 1 } };
  expect(await refusalOf(JSON.stringify([{ url: 'x' }, row].slice(1)))).toContain(
    `The column "${column}" must be a text`,
  );
});
