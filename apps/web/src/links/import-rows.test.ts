import fc from 'fast-check';
import Papa from 'papaparse';
import { describe, expect, test } from 'vitest';
import { type ImportRow, readImport, refusedCsv } from './import-rows.ts';

const outcomes = (text: string) => readImport(text).rows.map(({ outcome }) => outcome);

describe('readImport', () => {
  test('reads the fields of a creation, and ignores other columns by name', () => {
    const file = readImport(
      'Destination_URL,slug,hashtags,archived,clicks\r\nhttps://example.com/,a,"x, #y",TRUE,5\r\n,,,,\r\n',
    );
    expect(file.ignored).toEqual(['clicks']);
    expect(file.rows.map(({ row, outcome }) => [row, outcome])).toEqual([
      [2, { link: { destination_url: 'https://example.com/', slug: 'a', hashtags: ['x', '#y'], archived: true } }],
    ]);
  });

  test.each([',', ';', '\t'])('recognizes the delimiter %j', (delimiter) => {
    const text = `destination_url${delimiter}title\nhttps://example.com/${delimiter}T`;
    expect(outcomes(text)).toEqual([{ link: { destination_url: 'https://example.com/', title: 'T' } }]);
  });

  test('blank lines are no rows, and the rows after them have the numbers of the file', () => {
    const { header, rows } = readImport(
      '\n\ndestination_url;slug\n\nhttps://example.com/a;a\n;\n\nhttps://example.com/b;b\n\n',
    );
    expect(header).toEqual(['destination_url', 'slug']);
    expect(rows.map(({ row, destination }) => [row, destination])).toEqual([
      [5, 'https://example.com/a'],
      [8, 'https://example.com/b'],
    ]);
  });

  test('a wrong flag or quote refuses its row, with the reason', () => {
    const [flag, good, quote] = outcomes(
      'destination_url,archived\nhttps://example.com/,perhaps\nhttps://example.com/,\n"https://example.com/,\n',
    );
    expect(flag).toEqual({ error: '"archived" must be true or false.' });
    expect(good).toEqual({ link: { destination_url: 'https://example.com/' } });
    expect(quote).toEqual({ error: expect.stringContaining('not valid CSV') });
  });

  test('a file without the needed column, or without rows, is refused with what to change', () => {
    expect(() => readImport('url\nhttps://example.com/')).toThrow('destination_url');
    expect(() => readImport('')).toThrow('destination_url');
    expect(() => readImport('destination_url\n')).toThrow('no rows');
  });

  test('what an export defused is as it was; other apostrophes stay', () => {
    const titles = ["'=1+1", "''=1", "'tis", '=1'].map((title) => Papa.unparse([['https://example.com/', title]]));
    const links = outcomes(['destination_url,title', ...titles].join('\r\n'));
    expect(links.map((outcome) => 'link' in outcome && outcome.link.title)).toEqual(['=1+1', "'=1", "'tis", '=1']);
  });

  test('any cells in valid CSV are read back', () => {
    const cell = fc.string({ unit: 'grapheme' }).map((text) => `x${text.replaceAll('\0', '')}x`);
    fc.assert(
      fc.property(fc.array(fc.tuple(cell, cell), { minLength: 1, maxLength: 20 }), (rows) => {
        const text = Papa.unparse([['destination_url', 'title'], ...rows]);
        expect(outcomes(text)).toEqual(rows.map(([destination_url, title]) => ({ link: { destination_url, title } })));
      }),
    );
  });
});

test('refused rows are handed back with their reasons, and can be imported again once corrected', () => {
  const file = readImport('destination_url,title\nhttps://example.com/,"a, b"\n');
  const refused = file.rows.map((row: ImportRow) => ({ cells: row.cells, reason: '"slug" is taken.' }));
  const again = readImport(refusedCsv(file.header, refused));
  expect(again.ignored).toEqual(['refused_because']);
  expect(again.rows[0]!.outcome).toEqual({ link: { destination_url: 'https://example.com/', title: 'a, b' } });
});
