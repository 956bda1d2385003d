import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  countryName,
  formatBar,
  formatBarShort,
  formatChange,
  formatCompact,
  formatGrowth,
  formatShare,
  formatSpan,
} from './format.ts';
import type { Bar } from './time-series.ts';

const bar = (fields: Partial<Bar>): Bar => ({
  key: '2026-11-21',
  from: '2026-11-21',
  to: '2026-11-21',
  hour: null,
  pass: null,
  clicks: 0,
  visitors: null,
  previousClicks: null,
  ...fields,
});

test.each([
  [0, 0, '0%'],
  [100, 125, '+25%'],
  [10, 9, '-10%'],
  [3, 3, '0%'],
  [0, 5, null],
  [11, 109, '+891%'],
  [11, 110, '×10'],
  [11, 19_016, '×1,729'],
  [10_000, 1, '-99%'],
  [10_000, 0, '-100%'],
])('from %i to %i: %s', (before, now, expected) => {
  expect(formatChange(before, now)).toBe(expected);
});

test.each([
  [0, 0, '0%'],
  [0, 1, 'new'],
  [0, 1_200, 'new'],
  [1, 1, '0%'],
  [1, 2, 'from 1 to 2'],
  [1, 12, 'from 1 to 12'],
  [1, 1_200, 'from 1 to 1,200'],
  [1, 0, 'from 1 to 0'],
  [2, 4, '+100%'],
  [12, 0, '-100%'],
])('growth of clicks from %i to %i: %s', (before, now, expected) => {
  expect(formatGrowth(before, now)).toBe(expected);
});

test('growth is never infinite, and never a percentage of one click', () => {
  fc.assert(
    fc.property(fc.nat(1_000_000), fc.nat(1_000_000), (before, now) => {
      const words = formatGrowth(before, now);
      expect(words).not.toMatch(/∞|NaN|null/);
      if (before <= 1 && before !== now) expect(words).not.toMatch(/[%×]/);
    }),
  );
});

test('the share of nothing is nothing', () => {
  expect(formatShare(0, 0)).toBe('0.0%');
  expect(formatShare(1, 8)).toBe('12.5%');
});

test('a part of the clicks is neither none nor all of them', () => {
  expect(formatShare(1, 2_914)).toBe('<0.1%');
  expect(formatShare(2_913, 2_914)).toBe('>99.9%');
  expect(formatShare(1, 1_999)).toBe('0.1%');
  expect(formatShare(1_998, 1_999)).toBe('99.9%');
  expect([formatShare(0, 2_914), formatShare(2_914, 2_914)]).toEqual(['0.0%', '100.0%']);
});

test('countries have names, and what is no country stays as it is', () => {
  expect(countryName('DE')).toBe('Germany');
  for (const text of ['unknown', 'ZZZ', '<b>', '']) expect(countryName(text)).toBe(text);
});

test('numbers of an axis are short', () => {
  expect([999, 12_345, 1_500_000].map(formatCompact)).toEqual(['999', '12.3k', '1.5m']);
});

test('a bar says what it stands for', () => {
  expect(formatBar(bar({}))).toBe('Sat, 21 Nov 2026');
  expect(formatBar(bar({ key: '2026-11-16', from: '2026-11-16', to: '2026-11-22' }))).toBe(
    formatSpan('2026-11-16', '2026-11-22'),
  );
  const hour = '2026-11-21T09:00:00+01:00';
  expect(formatBar(bar({ key: hour, hour }))).toBe('Sat, 21 Nov 2026, 09:00');
  expect(formatBar(bar({ key: hour, hour, pass: 2 }))).toBe('Sat, 21 Nov 2026, 09:00 (second)');
  expect(formatBarShort(bar({ key: hour, hour }))).toBe('09:00');
  expect(formatBarShort(bar({}))).toBe('21 Nov');
  expect(formatBarShort(bar({ key: '2026-11', from: '2026-11-01' }))).toBe('Nov');
  expect(formatBarShort(bar({ key: '2026-01', from: '2026-01-01' }))).toBe('Jan 2026');
});
