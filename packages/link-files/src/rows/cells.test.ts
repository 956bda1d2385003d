import { expect, test } from 'vitest';
import { linksOf, open, refusalOf, rowsOf } from '../../test/support/read.ts';

// A cell is a text, a number or a truth value. Anything else refuses its row, and no other.

const URL = 'https://example.com/';
const GOOD = { slug: 'good', url: URL };
const nested = (levels: number, open = '[', close = ']') => open.repeat(levels) + close.repeat(levels);
const deepObject = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;

const VALUES: [string, string][] = [
  ['an object with toString', '{"toString":1}'],
  ['an object with valueOf and toString', '{"toString":null,"valueOf":null}'],
  ['an object with toJSON', '{"toJSON":1}'],
  ['an object with __proto__', '{"__proto__":{"name":"x","fullName":"go.example.com"}}'],
  ['an object with constructor', '{"constructor":{"name":"x"}}'],
  ['a list in a list', '[["a"]]'],
  ['a list of objects', '[{"a":1}]'],
  ['a list of nothing', '[null]'],
  ['deep lists', nested(50)],
  ['a deep object', deepObject(50)],
];
const COLUMNS = [
  'slug',
  'title',
  'description',
  'note',
  'expires_at',
  'created_at',
  'archived',
  'visibility',
  'tags',
  'status',
  'banned',
  'password',
  'max_clicks',
  'valid_since',
  'domain',
  'shortUrl',
  'custom_bitlinks',
  'meta',
  'any',
];

test.each(VALUES)('%s in any column refuses at most its row', async (_, value) => {
  for (const column of COLUMNS) {
    const row = `{"slug":"bad","url":"${URL}","${column}":${value}}`;
    for (const content of [`[${row},${JSON.stringify(GOOD)}]`, `${row}\n${JSON.stringify(GOOD)}\n`]) {
      const rows = await rowsOf(content);
      expect([column, rows]).toEqual([
        column,
        [expect.anything(), { row: 2, link: { slug: 'good', destination_url: URL } }],
      ]);
      const first = rows[0]!;
      if ('link' in first)
        for (const cell of Object.values(first.link))
          expect(Array.isArray(cell) ? cell : [cell]).toSatisfy((cells: unknown[]) =>
            cells.every((one) => ['string', 'number', 'boolean'].includes(typeof one)),
          );
    }
  }
});

test.each(['url', 'title', 'slug', 'expires_at', 'archived', 'visibility', 'domain'])(
  'an object as %s is refused with its column',
  async (column) => {
    for (const value of ['{"toString":1}', '{"a":1}', '[{"a":1}]', '{"__proto__":{"name":"x"}}'])
      expect(await refusalOf(`[{"slug":"a","url":"${URL}","${column}":${value}}]`)).toContain(
        `The column "${column}" must be a text`,
      );
  },
);

test('JSON that is nested too deep is refused before anything is made of it', async () => {
  for (const value of [nested(30_000), deepObject(10_000)]) {
    const message = 'is nested more than 64 times';
    await expect(rowsOf(`[{"url":"${URL}","title":${value}}]`)).rejects.toThrow(message);
    const good = JSON.stringify(GOOD);
    const link = { slug: 'good', destination_url: URL };
    expect(await rowsOf(`${good}\n{"url":"${URL}","title":${value}}\n${good}\n`)).toEqual([
      { row: 1, link },
      { row: 2, error: 'The row is nested more than 64 times.' },
      { row: 3, link },
    ]);
  }
});

test('a list in a cell of CSV is no deeper than others', async () => {
  for (const [column, value] of [
    ['tags', nested(30_000)],
    ['custom_bitlinks', nested(15_000)],
    ['tags', deepObject(5_000)],
    ['banned', nested(15_000)],
  ] as const) {
    const rows = await rowsOf(`long_url,${column}\n${URL},"${value.replaceAll('"', '""')}"\n${URL},\n`);
    expect(rows).toHaveLength(2);
    expect(rows[0]).toMatchObject({ row: 2, error: expect.any(String) });
    expect(rows[1]).toMatchObject({ link: { destination_url: URL } });
  }
});

test.each(['12345678901234567890', '1e400', '-9007199254740993', '1.5e300'])(
  'the number %s, which JavaScript cannot read exactly, is refused',
  async (number) => {
    for (const content of [`[{"url":"${URL}","slug":${number}}]`, `{"url":"${URL}","slug":${number}}`])
      expect(await refusalOf(content)).toBe(
        'The column "slug" has a number that cannot be read exactly; write it as a text, in quotes.',
      );
    expect(await linksOf(`[{"url":"${URL}","slug":"${number}"}]`)).toMatchObject([{ slug: number }]);
  },
);

test('numbers and truth values are texts where a text is needed', async () => {
  expect(await linksOf(`[{"url":"${URL}","slug":2024,"title":true,"note":1.5,"keyword":0}]`)).toEqual([
    { destination_url: URL, slug: '2024', title: 'true', note: '1.5' },
  ]);
});

test('names of columns that JavaScript knows are names like others', async () => {
  const content = `[{"url":"${URL}","__proto__":{"slug":"x","banned":true},"constructor":"c","toString":"t","hasOwnProperty":"h"}]`;
  for (const text of [content, content.slice(1, -1)]) {
    const file = await open(text);
    for await (const row of file.rows) expect(row).toEqual({ row: 1, link: { destination_url: URL } });
    expect(file.unusedColumns).toEqual(['__proto__', 'constructor', 'toString', 'hasOwnProperty']);
  }
  expect(Object.getPrototypeOf({})).toBe(Object.prototype);
  const csv = await open(`url,__proto__,constructor\n${URL},x,y\n`);
  for await (const row of csv.rows) expect(row).toEqual({ row: 2, link: { destination_url: URL } });
  expect(csv.unusedColumns).toEqual(['__proto__', 'constructor']);
});
