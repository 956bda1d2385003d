import fc from 'fast-check';
import { expect, test } from 'vitest';
import { linksOf, open, refusalOf, rowsOf } from '../../test/support/read.ts';

// How records of CSV are read, and which are refused.

test.each([
  [',', 'commas'],
  [';', 'semicolons'],
  ['\t', 'tabs'],
])(
  'a row with more cells than the header, separated by %j, is refused, because its URL may be cut off',
  async (delimiter, name) => {
    const csv = (...rows: string[][]) => rows.map((cells) => `${cells.join(delimiter)}\n`).join('');
    const url = ['https://example.com/?ids=1', '2', '3'];
    expect(await refusalOf(csv(['slug', 'destination_url', 'title'], ['m3', ...url, 'My title']))).toBe(
      `The row has 5 cells and the header 3; put quotes around a cell with ${name}.`,
    );
    expect(await refusalOf(csv(['slug', 'title', 'url'], ['m3', 'T', ...url]))).toContain('The row has 5 cells');
    const emptyTitle = csv(['slug', 'destination_url', 'title'], ['f1', 'https://example.com/?ids=1', '2', '']);
    expect(await refusalOf(emptyTitle)).toBe(
      `The row has 4 cells and the header 3; put quotes around a cell with ${name}.`,
    );
    const long = ['f2', 'https://maps.example/@52.5', '13.4', 'T', 'D', ''];
    expect(await refusalOf(csv(['slug', 'destination_url', 'title', 'description', 'note'], long))).toContain(
      'The row has 6 cells and the header 5',
    );
  },
);

test('a URL with a comma is cut off in a file with one column, too', async () => {
  expect(await refusalOf('url\nhttps://example.com/?ids=1,2\n')).toContain('The row has 2 cells and the header 1;');
});

test('a row with fewer cells than the header is read, and so are rows that end with a delimiter as the header does', async () => {
  const rows = await linksOf('slug,url,title,,\na,https://example.com/\nb,https://example.com/,T,,\n');
  expect(rows).toEqual([
    { slug: 'a', destination_url: 'https://example.com/' },
    { slug: 'b', destination_url: 'https://example.com/', title: 'T' },
  ]);
});

test.each(['\n', '\r\n', '\r'])('rows are numbered by the line where they begin, with %j', async (lineBreak) => {
  const lines = [
    'slug,url,note,created',
    'm6,https://example.com/6,"a',
    'b',
    '',
    'c"',
    '',
    'm7,https://example.com/7,T,bad',
    'm8,https://example.com/8,"two',
    'lines",bad',
    'm9,https://example.com/9,"x""',
    '"',
    'm10,https://example.com/10,a,b,c',
    'm11,https://example.com/11',
    'm12,https://example.com/12,"never',
  ];
  const rows = await rowsOf(lines.join(lineBreak));
  expect(rows.map(({ row, ...rest }) => [row, Object.keys(rest)[0]])).toEqual([
    [2, 'link'],
    [7, 'error'],
    [8, 'error'],
    [10, 'link'],
    [12, 'error'],
    [13, 'link'],
    [14, 'error'],
  ]);
  expect(rows[0]).toMatchObject({ link: { note: ['a', 'b', '', 'c'].join(lineBreak) } });
});

test('line breaks may be mixed, and a file may end without one', async () => {
  const rows = await rowsOf(
    '\n\nslug,url\r\na,https://example.com/\nb,https://example.com/\r\r\nc,https://example.com/',
  );
  expect(rows.map((row) => [row.row, 'link' in row && row.link.slug])).toEqual([
    [4, 'a'],
    [5, 'b'],
    [7, 'c'],
  ]);
});

test('a wrong quote hides no other row without mention', async () => {
  expect(await rowsOf('slug,url\na,"b" c\nd,https://example.com/\ne,"never\nends\n')).toEqual([
    { row: 2, link: { slug: 'a', destination_url: '"b" c' } },
    { row: 3, link: { slug: 'd', destination_url: 'https://example.com/' } },
    { row: 4, error: expect.stringContaining('A quote at the beginning of a cell has no end') },
    { row: 5, link: { slug: 'ends' } },
  ]);
  const rows = await rowsOf(
    'slug,title,url\na,"T,https://example.com/a\nb,"U",https://example.com/b\nc,,https://example.com/c\n',
  );
  expect(rows).toMatchObject([
    { row: 2, error: expect.stringContaining('A quote at the beginning of a cell has no end') },
    { row: 3, link: { slug: 'b', title: 'U' } },
    { row: 4, link: { slug: 'c' } },
  ]);
});

test('quotes that MySQL escapes with a backslash are read, or the row is refused', async () => {
  const header = 'slug,url,title,description,note\n';
  const titleOf = async (cell: string) => (await linksOf(`${header}f8,https://example.com/,${cell},desc,n\n`))[0];
  for (const [cell, title] of [
    ['"say \\"hi, you\\" now"', 'say "hi, you" now'],
    ['"say \\"hi\\" now"', 'say "hi" now'],
    ['"\\"x\\" \\\\ y"', '"x" \\ y'],
    ['"C:\\"', 'C:\\'],
    ['"Best" of 2024', '"Best" of 2024'],
    ['a \\" b', 'a \\" b'],
  ] as const)
    expect(await titleOf(cell)).toMatchObject({ title, description: 'desc', note: 'n' });
  for (const cell of ['"say \\",hi\\" x"', '"say \\"hi" x'])
    expect(await refusalOf(`slug,url,title,note\nf8,https://example.com/,${cell}\n`)).toContain('A quote');
});

test.each([
  ['sep=;\nslug;url\na;https://example.com/?a,b\n'],
  ['"sep=;"\r\nslug;url\r\na;https://example.com/?a,b\r\n'],
  ['\ufeffSEP=|\nslug|url\na|https://example.com/?a,b\n'],
  ['slug;"a,b,c";url\na;;https://example.com/?a,b\n'],
  ['slug\turl\na\thttps://example.com/?a,b\n'],
  ['\n  \nslug;url\na;https://example.com/?a,b\n'],
])('the delimiter of %j is found', async (csv) => {
  expect(await linksOf(csv)).toEqual([{ slug: 'a', destination_url: 'https://example.com/?a,b' }]);
});

test('cells are trimmed, NULL is nothing, and what cannot be seen around a URL or a slug is removed', async () => {
  const csv =
    ' Slug ,\ufeffURL,title,note,description\n' +
    ' \u200ba\u00a0,\u200b https://example.com/\u200b\u00a0, T , NULL ,\\N\n' +
    'NULL,https://example.com/b,Null,,x NULL\n';
  expect(await linksOf(csv)).toEqual([
    { slug: 'a', destination_url: 'https://example.com/', title: 'T' },
    { destination_url: 'https://example.com/b', title: 'Null', description: 'x NULL' },
  ]);
  const json = [{ slug: ' a\u200b ', url: '\u2060https://example.com/ ', note: ' T ' }];
  expect(await linksOf(JSON.stringify(json))).toEqual([
    { slug: 'a', destination_url: 'https://example.com/', note: ' T ' },
  ]);
});

test('of two columns with one name, the first that is filled counts', async () => {
  const rows = await linksOf('slug,url,url\na,https://example.com/1,https://example.com/2\nb,,https://example.com/3\n');
  expect(rows.map((link) => link.destination_url)).toEqual(['https://example.com/1', 'https://example.com/3']);
});

/** Reads CSV of quoted cells, which is all that the test below writes, in the plainest way. */
function plainRead(csv: string, delimiter: string): { line: number; cells: string[] }[] {
  const rows: { line: number; cells: string[] }[] = [];
  let line = 1;
  let rest = csv;
  while (rest !== '') {
    const lineBreak = /^(?:\r\n|\n|\r)/.exec(rest)?.[0];
    if (lineBreak !== undefined) {
      line += 1;
      rest = rest.slice(lineBreak.length);
      continue;
    }
    const row = { line, cells: [] as string[] };
    for (;;) {
      const [quoted, text] = /^"((?:[^"]|"")*)"/.exec(rest)!;
      row.cells.push(text!.replaceAll('""', '"'));
      line += text!.split(/\r\n|\n|\r/).length - 1;
      rest = rest.slice(quoted.length);
      if (!rest.startsWith(delimiter)) break;
      rest = rest.slice(delimiter.length);
    }
    rows.push(row);
  }
  return rows;
}

test('random CSV is read as a plain reader does, in chunks of any size', async () => {
  const lineBreak = fc.constantFrom('\n', '\r\n', '\r');
  const cell = fc
    .string({ unit: fc.constantFrom(...'ab"\n\r,;\té夏😀\ufeff\u2028'), maxLength: 8 })
    .map((text) => `x${text}x`);
  const record = fc.record({ title: cell, note: cell, ending: fc.array(lineBreak, { minLength: 1, maxLength: 3 }) });
  const file = fc.record({
    delimiter: fc.constantFrom(',', ';', '\t'),
    records: fc.array(record, { maxLength: 6 }),
    chunkSize: fc.integer({ min: 1, max: 40 }),
  });
  await fc.assert(
    fc.asyncProperty(file, async ({ delimiter, records, chunkSize }) => {
      const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`;
      const csv = [
        ['"url"', '"title"', '"note"'].join(delimiter),
        '\n',
        ...records.flatMap(({ title, note, ending }) => [
          ['"https://example.com/"', quoted(title), quoted(note)].join(delimiter),
          ...ending,
        ]),
      ].join('');
      const rows = [];
      for await (const row of (await open(csv, {}, { chunkSize })).rows) rows.push(row);
      expect(rows).toEqual(
        plainRead(csv, delimiter)
          .slice(1)
          .map(({ line, cells }) => ({
            row: line,
            link: {
              destination_url: cells[0],
              title: cells[1]!.replaceAll(/\s+/g, ' '),
              note: cells[2]!.replaceAll('\t', ' '),
            },
          })),
      );
    }),
    { numRuns: 300 },
  );
});
