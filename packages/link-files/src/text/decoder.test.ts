import { expect, test } from 'vitest';
import { linksOf, open, rowsOf } from '../../test/support/read.ts';

// The encodings of files. The property test of every encoding is in own-exports.test.ts.

const TITLE = 'Grüße – „Ä“ 5 €';
const CSV = `slug;url;title\nm4;https://example.com/4;${TITLE}\n`;
const JSON_FILE = JSON.stringify([{ slug: 'm4', url: 'https://example.com/4', title: TITLE }]);
const NDJSON = `${JSON_FILE.slice(1, -1)}\n`;
const LINK = { slug: 'm4', destination_url: 'https://example.com/4', title: TITLE };

function windows1252(text: string): Buffer {
  const high: Record<string, number> = { '–': 0x96, '„': 0x84, '“': 0x93, '€': 0x80 };
  return Buffer.from([...text].map((character) => high[character] ?? character.charCodeAt(0)));
}

test.each([CSV, JSON_FILE, NDJSON, `\n ${JSON_FILE}`])(
  '%j is read in UTF-8 and UTF-16, with and without a byte order mark',
  async (text) => {
    for (const content of [text, `\ufeff${text}`]) {
      expect(await linksOf(content)).toEqual([LINK]);
      const littleEndian = Buffer.from(content, 'utf16le');
      expect(await linksOf(littleEndian)).toEqual([LINK]);
      expect(await linksOf(Buffer.from(littleEndian).swap16())).toEqual([LINK]);
    }
  },
);

test.each([1, 2, 3, 7, 64])(
  'CSV that is not UTF-8 is read as Windows-1252, which is said, in chunks of %i bytes',
  async (size) => {
    const file = await open(windows1252(CSV), {}, { chunkSize: size });
    const rows = [];
    for await (const row of file.rows) rows.push(row);
    expect(rows).toEqual([{ row: 2, link: LINK }]);
    expect(file.encoding).toBe('windows-1252');
  },
);

test('the encoding may be known late, after many rows of ASCII', async () => {
  const rows = Array.from({ length: 20_000 }, (_, n) => `s${n},https://example.com/,plain\n`).join('');
  const content = `slug,url,title\n${rows}last,https://example.com/,`;
  const file = await open(windows1252(`${content}${TITLE}\n`));
  expect(file.encoding).toBe('utf-8');
  let last: unknown;
  for await (const row of file.rows) last = row;
  expect(last).toMatchObject({ row: 20_002, link: { title: TITLE } });
  expect(file.encoding).toBe('windows-1252');
  expect((await linksOf(`${content}${TITLE}\n`)).at(-1)!.title).toBe(TITLE);
});

test('U+FFFD is only in a title if it is in the file', async () => {
  expect(await linksOf(CSV.replace(TITLE, 'a\ufffdb'))).toMatchObject([{ title: 'a\ufffdb' }]);
});

test('a byte order mark inside of the file is text', async () => {
  expect(await linksOf('{"url":"https://example.com/","note":"\ufeffa"}')).toMatchObject([{ note: '\ufeffa' }]);
});

test.each<[string, Buffer, string]>([
  [
    'UTF-8 that becomes something else',
    Buffer.concat([Buffer.from(CSV), windows1252(CSV)]),
    'The file is not valid UTF-8; save it as UTF-8, or send its charset',
  ],
  [
    'UTF-16 of an odd length',
    Buffer.from(`\ufeff${CSV}`, 'utf16le').subarray(0, -1),
    'The file is not valid UTF-16LE; save it as UTF-8, or send its charset',
  ],
  [
    'UTF-16 with half a character',
    Buffer.from(`\ufeff${CSV}\ud83d;`, 'utf16le'),
    'The file is not valid UTF-16LE; save it as UTF-8, or send its charset',
  ],
  [
    'JSON in Windows-1252',
    windows1252(JSON_FILE),
    'The file is JSON, but neither UTF-8 nor UTF-16; save it as UTF-8, or send its charset',
  ],
  [
    'ndjson in Windows-1252',
    windows1252(NDJSON),
    'The file is JSON, but neither UTF-8 nor UTF-16; save it as UTF-8, or send its charset',
  ],
])('%s is an error', async (_, content, message) => {
  await expect(rowsOf(content)).rejects.toThrow(message);
});

test('UTF-8 that ends inside of a character is an error', async () => {
  const content = Buffer.from(`${CSV}m5;https://example.com/;ü😀`);
  await expect(rowsOf(content.subarray(0, -1))).rejects.toThrow('The file is not valid UTF-8');
});
