import {
  type ExportFormat,
  exportHeader,
  exportLines,
  isHashtag,
  type Link,
  normalizeHashtags,
  REDIRECT_CODES,
} from '@waymark/contract';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { linksOf, open, rowsOf } from '../test/support/read.ts';
import type { FileHosts, FileLink } from './index.ts';

// Every export of Waymark is read exactly, also an old one, and one that was edited in a spreadsheet.

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
  host: fc.option(fc.domain()),
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
  max_clicks: fc.option(fc.integer({ min: 1, max: 1_000_000 })),
  redirect_code: fc.constantFrom(...REDIRECT_CODES),
  rules: fc.array(
    fc.record(
      { to: fc.webUrl(), device: fc.constant<['mobile']>(['mobile']), share: fc.nat({ max: 100 }) },
      { requiredKeys: ['to', 'share'], noNullPrototype: true },
    ),
    { maxLength: 3 },
  ),
  social_title: text(20),
  social_description: text(20),
  social_image_url: fc.option(fc.webUrl({ validSchemes: ['https'] })),
  managed_by: fc.option(fc.stringMatching(/^[A-Za-z0-9_./-]{1,64}$/)),
  health: fc.constant({ state: 'broken', status: 404, since: null, checked_at: null } as const),
  clicks: fc.nat(),
  last_clicked_at: fc.option(time),
  created_at: time,
  updated_at: time,
});

/** Fields that an import sets anew. */
const SET_ANEW: readonly (keyof Link)[] = ['id', 'short_url', 'health', 'clicks', 'last_clicked_at', 'updated_at'];

/** Returns what an import makes of an exported link. */
function imported(exported: Link): FileLink {
  const kept = Object.entries(exported).filter(
    ([name, value]) =>
      value !== null && !(Array.isArray(value) && value.length === 0) && !SET_ANEW.includes(name as keyof Link),
  );
  return Object.fromEntries(kept);
}

/** Each name is a host of the account. */
const ANY_HOSTS: FileHosts = { unnamed: null, find: (name) => name };

function utf16be(text: string): Buffer {
  return Buffer.from(text, 'utf16le').swap16();
}

const ENCODINGS: Record<string, (text: string) => Buffer> = {
  'UTF-8': (text) => Buffer.from(text),
  'UTF-8 with a byte order mark': (text) => Buffer.from(`\ufeff${text}`),
  'UTF-16LE': (text) => Buffer.from(text, 'utf16le'),
  'UTF-16LE with a byte order mark': (text) => Buffer.from(`\ufeff${text}`, 'utf16le'),
  'UTF-16BE': utf16be,
  'UTF-16BE with a byte order mark': (text) => utf16be(`\ufeff${text}`),
};

test.each(
  Object.keys(ENCODINGS).flatMap((encoding) =>
    (['csv', 'ndjson'] as const).map((format): [string, ExportFormat] => [encoding, format]),
  ),
)('any links that are exported are read as they were, in %s, as %s', async (encoding, format) => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(link, { minLength: 1, maxLength: 5 }),
      fc.integer({ min: 1, max: 100 }),
      async (links, chunkSize) => {
        const bytes = ENCODINGS[encoding]!(exportHeader(format) + exportLines(format, links));
        const file = await open(bytes, {}, { chunkSize, hosts: ANY_HOSTS });
        const rows = [];
        for await (const row of file.rows) rows.push(row);
        expect(rows.map((row) => ('error' in row ? row.error : row.link))).toEqual(links.map(imported));
        expect([file.format, file.encoding]).toEqual(['waymark', encoding.split(' ')[0]!.toLowerCase()]);
      },
    ),
    { numRuns: 60 },
  );
});

/** Western words, and what CSV must quote. No letter in them begins a character of UTF-8 in Windows-1252. */
const latinText = fc.option(
  fc
    .array(fc.constantFrom('Grüße', 'für', 'déjà', 'año', 'Ä', 'über', '"', '\n', ',', ';', "'", '='), { minLength: 1 })
    .map((words) => words.join(' ')),
);

test('any links that are exported as CSV are read as they were, also if an editor saved them in Windows-1252', async () => {
  const latin = link.chain((one) =>
    fc.record({ title: latinText, note: latinText }).map((texts) => ({
      ...{ ...one, ...texts, description: null, hashtags: [] },
      ...{ social_title: null, social_description: null },
    })),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(latin, { minLength: 1, maxLength: 5 }), async (links) => {
      const bytes = Buffer.from(exportHeader('csv') + exportLines('csv', links), 'latin1');
      expect(await linksOf(bytes, {}, ANY_HOSTS)).toEqual(links.map(imported));
    }),
    { numRuns: 200 },
  );
});

const EXPORTED: Link = {
  id: '019a4f0e8f2c7d31a4b6',
  host: null,
  slug: 'sale',
  short_url: 'https://go.example/sale',
  destination_url: 'https://example.com/',
  title: '-50% on everything',
  description: '@handle',
  note: null,
  hashtags: ['a', 'b'],
  visibility: 'unlisted',
  expires_at: null,
  expired_url: null,
  archived: false,
  max_clicks: null,
  redirect_code: 302,
  rules: [],
  social_title: null,
  social_description: null,
  social_image_url: null,
  managed_by: null,
  health: { state: 'unknown', status: null, since: null, checked_at: null },
  clicks: 3,
  last_clicked_at: null,
  created_at: '2024-03-01T10:00:00.000Z',
  updated_at: '2024-03-02T10:00:00.000Z',
};

/** Returns the CSV of an export without some columns, as an older version or a spreadsheet leaves it. */
function csvWithout(...columns: string[]): string {
  const lines = (exportHeader('csv') + exportLines('csv', [EXPORTED])).split('\r\n');
  const header = lines[0]!.split(',');
  const cells = lines[1]!.replace('"a,b"', 'a|b').split(',');
  const kept = header
    .map((name, position) => ({ name, cell: cells[position]! }))
    .filter(({ name }) => !columns.includes(name));
  return `${kept.map(({ name }) => name).join(',')}\r\n${kept.map(({ cell }) => cell).join(',')}\r\n`;
}

test.each([
  ...Object.keys(EXPORTED)
    .filter((name) => !['title', 'destination_url'].includes(name))
    .map((name) => [name]),
  ['id', 'clicks'],
  ['id', 'short_url', 'clicks', 'updated_at', 'hashtags', 'archived', 'expired_url'],
])('the apostrophe before a formula is removed from an export without %s', async (...columns) => {
  expect((await linksOf(csvWithout(...columns)))[0]!.title).toBe('-50% on everything');
});

test('an export of a later version, with more columns, is an export', async () => {
  const csv = csvWithout().replace('id,', 'host,id,').replace('019a', ',019a');
  expect(await linksOf(csv)).toMatchObject([{ slug: 'sale', title: '-50% on everything' }]);
});

test('an apostrophe is removed from cells of our own exports only, or if the caller says that it is one', async () => {
  const csv = "slug,destination_url,title\na,https://example.com/,'=x\n";
  expect((await linksOf(csv))[0]!.title).toBe("'=x");
  expect((await linksOf(csv, { format: 'waymark' }))[0]!.title).toBe('=x');
  const ndjson = `${JSON.stringify({ ...EXPORTED, title: "'=x" })}\n`;
  expect((await linksOf(ndjson))[0]!.title).toBe("'=x");
});

test.each([',', ';', '\t'])(
  'an export that a spreadsheet saved with %j and its own booleans is read',
  async (delimiter) => {
    for (const [no, yes] of [
      ['FALSE', 'TRUE'],
      ['False', 'True'],
      ['f', 't'],
      ['0', '1'],
    ]) {
      const saved = (cell: string) => csvWithout().replaceAll(',', delimiter).replace('false', cell);
      expect((await linksOf(`\ufeff${saved(no!)}`))[0]).toMatchObject({ archived: false, title: '-50% on everything' });
      expect((await linksOf(saved(yes!)))[0]).toMatchObject({ archived: true, hashtags: ['a', 'b'] });
    }
    const wrong = await rowsOf(csvWithout().replace('false', 'maybe'));
    // The schema of the API refuses it.
    expect(wrong).toMatchObject([{ link: { archived: 'maybe' } }]);
  },
);

test('an export of an early version is read, which has line breaks in cells without quotes', async () => {
  const csv = csvWithout().replace(/'-50% on everything/, 'a\nb\rc');
  expect(await rowsOf(csv + csvWithout().split('\r\n')[1])).toMatchObject([
    { row: 2, link: { title: 'a\nb\rc' } },
    { row: 5, link: { title: '-50% on everything' } },
  ]);
});
