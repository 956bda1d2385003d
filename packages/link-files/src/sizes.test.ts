import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { rowsOf } from '../test/support/read.ts';
import { readLinkFile } from './index.ts';

// No file takes much memory, or the processor for long.

const MIB = 1024 * 1024;

/** Yields 64 MiB of the text after this start. */
async function* endless(start: string, text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(start);
  const chunk = Buffer.from(text.repeat(Math.ceil((64 * 1024) / text.length)));
  for (let size = 0; size < 64 * MIB; size += chunk.length) yield chunk;
}

const CSV = 'slug,url,title\n';
const NDJSON = '{"url":"https://example.com/"}\n';

test.each([
  ['one line', CSV, 'a', 'The row in line 2 is longer than 131072 characters.'],
  ['a quote that never closes', CSV, '"a,', 'The row in line 2 is longer than 131072 characters.'],
  [
    'a quote that never closes, on line 3',
    `${CSV}a,b\nx,"`,
    'a',
    'The row in line 3 is longer than 131072 characters.',
  ],
  ['one line of columns', '', 'url,', 'The row in line 1 is longer than 131072 characters.'],
  ['JSON that is nested without end', '', '[', 'The file has JSON that is nested more than 64 times.'],
  ['objects that are nested without end', '[', '{"a":', 'The file has JSON that is nested more than 64 times.'],
  ['a row of JSON without end', '[{"url":1},{"a":[', '[],', 'The row after row 1 is longer than 131072 characters.'],
  ['a text of JSON without end', '{"a":"', 'a', 'The row after row 0 is longer than 131072 characters.'],
  ['a number of JSON without end', '[{"url":', '1', 'The row after row 0 is longer than 131072 characters.'],
  ['a line of ndjson without end', `${NDJSON}{"a":"`, 'a', 'The row in line 2 is longer than 131072 characters.'],
])('a file of 64 MiB with %s is refused at once', async (_, start, text, message) => {
  const reading = async () => {
    for await (const _row of (await readLinkFile(endless(start, text))).rows);
  };
  await expect(reading()).rejects.toThrow(message);
});

test.each([
  ['columns', `${Array.from({ length: 100_000 }, (_, n) => `c${n}`).join()}\n`, 'The row in line 1 is longer than'],
  ['short columns', `${',a'.repeat(2_000)}\n`, 'The header row cannot be read: The row has more than 1000 cells.'],
])('a file with too many %s is refused', async (_, content, message) => {
  await expect(rowsOf(content)).rejects.toThrow(message);
});

test.each([
  [
    'a long cell',
    `${CSV}a,https://example.com/,${'x'.repeat(40_000)}\n`,
    'The column "title" is longer than 32768 characters.',
  ],
  ['many cells', `${CSV}${','.repeat(2_000)}\n`, 'The row has more than 1000 cells.'],
  ['many tags', `url,tags\nx,"${'a,'.repeat(2_000)}"\n`, 'The column "tags" has more than 100 values.'],
  ['a long tag', `url,tags\nx,${'a\u0301\u0316'.repeat(2_000)}\n`, 'is too long.'],
  ['many values', JSON.stringify([Object.fromEntries(Array.from({ length: 2_000 }, (_, n) => [`k${n}`, n]))]), ''],
])('a row with %s is refused', async (name, content, message) => {
  if (name === 'many values') {
    const rows = await rowsOf(`[${NDJSON},${content.slice(1)}`);
    expect(rows).toMatchObject([{ link: {} }, { row: 2, error: 'The row has more than 1000 values.' }]);
  } else expect(await rowsOf(content)).toMatchObject([{ row: 2, error: expect.stringContaining(message) }]);
});

test('a quote that never closes hides no more rows than one, also in a long file', async () => {
  const rows = Array.from({ length: 20_000 }, (_, n) => `s${n},https://example.com/,T\n`).join('');
  const read = await rowsOf(`${CSV}bad,"https://example.com/\n${rows}`);
  expect(read).toHaveLength(20_001);
  expect(read.filter((row) => 'error' in row)).toEqual([
    { row: 2, error: 'A quote at the beginning of a cell has no end where the cell ends; double it, or remove it.' },
  ]);
});

test('the process goes on with other work while it reads', async () => {
  let turns = 0;
  let isReading = true;
  const working = (async () => {
    while (isReading) {
      await setImmediate();
      turns += 1;
    }
  })();
  // One chunk, so that nothing else lets the process work.
  async function* oneChunk() {
    yield Buffer.from(CSV + 'a,b,c\n'.repeat(100_000));
  }
  let rows = 0;
  for await (const _ of (await readLinkFile(oneChunk())).rows) rows += 1;
  isReading = false;
  await working;
  expect(rows).toBe(100_000);
  expect(turns).toBeGreaterThan(10);
});
