import { expect, test } from 'vitest';
import { csvRow, csvRows } from './csv.ts';

test.each<[string, string[][]]>([
  ['', []],
  ['a', [['a']]],
  ['a,', [['a', '']]],
  [
    ',a\r\n\r\nb,"c"\n',
    [
      ['', 'a'],
      ['b', 'c'],
    ],
  ],
  ['"a,\n""b""",c\rd', [['a,\n"b"', 'c'], ['d']]],
  ['a "b",""\n"c"d', [['a "b"', ''], ['"c"d']]],
  ['a\n"broken, off', [['a'], ['"broken', ' off']]],
])('%j is read', (text, rows) => {
  expect(csvRows(text)).toEqual(rows);
});

test.each([';', '\t', '|', '^', '.', '\\'])('cells may be separated by %j', (delimiter) => {
  expect(csvRows(`a${delimiter}"b,"\nc`, delimiter)).toEqual([['a', 'b,'], ['c']]);
});

test('a row that is written is read as it was', () => {
  const cells = ['a', '', 'b,c', '"', '"d"', 'e\r\nf', ' g '];
  expect(csvRows(csvRow(cells))).toEqual([cells]);
  expect(csvRow(['a', 'b,c', '"'])).toBe('a,"b,c",""""');
});
