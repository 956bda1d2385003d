import { expect, test } from 'vitest';
import { rowRange } from './row-range.ts';

const PAGE = ['a', 'b', 'c', 'd'];

test.each([
  ['downwards', 'b', 'd', ['b', 'c', 'd']],
  ['upwards', 'd', 'b', ['b', 'c', 'd']],
  ['to itself', 'c', 'c', ['c']],
  ['from a row that is no longer on the page', 'x', 'c', ['c']],
])('a range %s', (_case, from, to, rows) => {
  expect(rowRange(PAGE, from, to)).toEqual(rows);
});
