import { LINK_FILE_FORMATS } from '@waymark/contract';
import { expect, test } from 'vitest';
import { linksOf, open, refusalOf, rowsOf } from '../test/support/read.ts';

// What an import does not use is named, in the order of the file. docs/api.md, Jobs.

const URL = 'https://example.com/';

async function unusedOf(content: string, columns?: Record<string, string>): Promise<readonly string[]> {
  const file = await open(content, { columns });
  for await (const row of file.rows) if ('error' in row) throw new Error(row.error);
  return file.unusedColumns;
}

/** For each service, the columns of an export, and of them those that are not imported. */
const EXPORTS: Record<(typeof LINK_FILE_FORMATS)[number], { columns: string; unused: string }> = {
  waymark: {
    columns: 'id,host,slug,short_url,destination_url,title,clicks,last_clicked_at,created_at,updated_at',
    unused: 'id,clicks,last_clicked_at,updated_at',
  },
  bitly: { columns: 'Created,Bitlink,Long URL,Title,Tags,Engagements', unused: 'Engagements' },
  dub: {
    columns: 'zeta,Short link,Destination URL,Clicks,Created at,Updated at,Tags,Title,Description,Comments,alpha',
    unused: 'zeta,Clicks,Updated at,alpha',
  },
  kutt: { columns: 'uuid,address,target,visit_count,created_at,description', unused: 'uuid,visit_count' },
  shlink: { columns: 'createdAt,domain,shortUrl,longUrl,title,shortCode,tags,visits', unused: 'visits' },
  yourls: { columns: 'keyword,url,title,timestamp,ip,clicks', unused: 'ip,clicks' },
};

/** A value that each column takes. */
function exampleOf(column: string): string {
  if (column === 'host') return '';
  if (/url|target|link/i.test(column)) return URL;
  return /created|_at$|timestamp|updated/i.test(column) ? '2024-03-01T10:00:00Z' : 'x1';
}

test.each(LINK_FILE_FORMATS)(
  'the columns of %s that are not imported are named, in any kind of file',
  async (format) => {
    const { columns, unused } = EXPORTS[format];
    const names = columns.split(',');
    const row = Object.fromEntries(names.map((name) => [name, exampleOf(name)]));
    const csv = `${columns}\n${names.map(exampleOf).join()}\n`;
    expect((await open(csv)).format).toBe(format);
    for (const content of [
      csv,
      `${columns}\n`,
      csv.replaceAll(',', ';'),
      JSON.stringify([row]),
      `${JSON.stringify(row)}\n`,
    ])
      expect(await unusedOf(content)).toEqual(unused.split(','));
  },
);

test('of JSON, the columns are in the order in which they appear, also those of meta', async () => {
  const rows = [
    { b: 1, url: URL, meta: { d: 1, validUntil: null, c: 1 }, a: 1 },
    { e: { f: 1 }, url: URL, a: 1, g: null },
  ];
  expect(await unusedOf(JSON.stringify(rows))).toEqual(['b', 'd', 'c', 'a', 'e', 'g']);
});

test('a mapping uses the columns that it names, and those that close links', async () => {
  const csv = `title,Ziel,expires,url,Kurz\nT,${URL},2030-01-01,${URL},a\n`;
  expect(await unusedOf(csv, { destination_url: 'Ziel', slug: 'Kurz' })).toEqual(['title', 'url']);
});

test('a column is not used if each row takes its field from another one', async () => {
  const csv = (...rows: string[]) => ['slug,url,comments,note,notes', ...rows].join('\n');
  expect(await unusedOf(csv(`a,${URL},C,N,M`))).toEqual(['comments', 'notes']);
  expect(await unusedOf(csv(`a,${URL},C,N,M`, `b,${URL},C,,`))).toEqual(['notes']);
  expect(await unusedOf(csv(`a,${URL},,N,`))).toEqual([]);
  expect(await linksOf(csv(`a,${URL},C,N,M`))).toMatchObject([{ note: 'N' }]);
});

test('a column without a name is named by its place, and cells after the last name refuse the row', async () => {
  expect(await unusedOf(`,slug,,url\n0,a,x,${URL}\n`)).toEqual(['(column 1)', '(column 3)']);
  expect(await unusedOf(`slug,url,,\na,${URL},,\n`)).toEqual([]);
  // A comma in the URL pushed its end, and the title, to the right.
  expect(await rowsOf(`slug,url,title,,\na,${URL}?ids=1,2,T,\nb,${URL},T,,\n`)).toEqual([
    {
      row: 2,
      error:
        'The row has a cell in column 4, which has no name in the header; put quotes around a cell with commas, or name the column.',
    },
    { row: 3, link: { slug: 'b', destination_url: URL, title: 'T' } },
  ]);
  expect(await refusalOf(`url;;\n${URL};;x\n`)).toContain(
    'column 3, which has no name in the header; put quotes around a cell with semicolons',
  );
});
