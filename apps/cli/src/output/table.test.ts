import stringWidth from 'string-width';
import { expect, test } from 'vitest';
import { type Column, table } from './table.ts';

interface Row {
  link: string;
  clicks: number;
  title: string;
}
const columns: Column<Row>[] = [
  { title: 'LINK', value: ({ link }) => link },
  { title: 'CLICKS', value: ({ clicks }) => clicks },
  { title: 'TITLE', value: ({ title }) => title, min: 8, droppedAt: 1 },
];
const rows = [
  { link: 'go.example/a', clicks: 1200, title: 'Summer sale of everything' },
  { link: 'go.example/bc', clicks: 7, title: '夏のセール 👩‍👩‍👧 すべて' },
];

test('a table shows everything if the line is long enough, and cuts or drops columns that may be cut', () => {
  expect(table(columns, rows, 200)).toBe(
    [
      'LINK           CLICKS  TITLE',
      'go.example/a    1,200  Summer sale of everything',
      'go.example/bc       7  夏のセール 👩‍👩‍👧 すべて',
    ].join('\n'),
  );
  expect(table(columns, rows, 34)).toBe(
    ['LINK           CLICKS  TITLE', 'go.example/a    1,200  Summer sal…', 'go.example/bc       7  夏のセール…'].join(
      '\n',
    ),
  );
  expect(table(columns, rows, 25)).toBe(
    ['LINK           CLICKS', 'go.example/a    1,200', 'go.example/bc       7'].join('\n'),
  );
});

test.each([30, 31, 32, 33, 40, 47])('no line is wider than %s columns', (width) => {
  const lines = table(columns, rows, width).split('\n');
  expect(Math.max(...lines.map((line) => stringWidth(line)))).toBeLessThanOrEqual(width);
});

test('a text that could control the terminal is shown as text', () => {
  const title = 'a\x1b[31mred\x07\nb\u202ec';
  expect(table(columns, [{ link: 'x', clicks: 1, title }], 80).split('\n')[1]).toBe('x          1  ared b c');
});
