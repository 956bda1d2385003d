import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  type AnalyticsSearch,
  DEFAULT_DAYS,
  FILTERS,
  readSearch,
  UNITS,
  withFilter,
  withWindow,
  writeSearch,
} from './analytics-search.ts';

const date = fc
  .date({ min: new Date('1970-01-01'), max: new Date('2199-12-31'), noInvalidDate: true })
  .map((each) => each.toISOString().slice(0, 10));
const value = fc.string({ minLength: 1, unit: 'binary' }).filter((text) => text.isWellFormed());
const search: fc.Arbitrary<AnalyticsSearch> = fc.record({
  window: fc.oneof(fc.record({ days: fc.nat(9_999) }), fc.record({ from: date, to: date })),
  tz: fc.option(value),
  compare: fc.boolean(),
  unit: fc.option(fc.constantFrom(...UNITS)),
  live: fc.boolean(),
  filters: fc.record(Object.fromEntries(FILTERS.map((name) => [name, value])), { requiredKeys: [] }),
});
const read = (address: string) => readSearch(new URLSearchParams(address));
const write = (view: AnalyticsSearch) => writeSearch(view).toString();

test('a view is read from its address as it was written', () => {
  fc.assert(
    fc.property(search, (each) => {
      expect(read(write(each))).toEqual(each);
    }),
  );
});

test('any address is a view, and writing that view changes nothing more', () => {
  const name = fc.constantFrom('days', 'from', 'to', 'tz', 'compare', 'by', 'live', 'stranger', ...FILTERS);
  const text = fc.oneof(fc.string({ unit: 'binary' }), fc.nat().map(String), date);
  fc.assert(
    fc.property(fc.array(fc.tuple(name, text)), (parameters) => {
      const view = readSearch(new URLSearchParams(parameters));
      expect(read(write(view))).toEqual(view);
    }),
  );
});

test('the default view has an address without parameters', () => {
  expect(write(read(''))).toBe('');
  expect(read('')).toEqual({
    window: { days: DEFAULT_DAYS },
    tz: null,
    compare: true,
    unit: null,
    live: false,
    filters: {},
  });
});

test('days that the API refuses are kept for its message, and what is no number is not', () => {
  expect(read('days=999').window).toEqual({ days: 999 });
  expect(read('days=7').window).toEqual({ days: 7 });
  expect(read('days=week').window).toEqual({ days: DEFAULT_DAYS });
  expect(read('from=2026-02-29&to=2026-03-01').window).toEqual({ days: DEFAULT_DAYS });
  expect(read('from=2026-02-28').window).toEqual({ days: DEFAULT_DAYS });
});

test('a filter is set, replaced and removed; others stay', () => {
  const view = read('source=direct');
  const filtered = withFilter(view, 'country', 'DE');
  expect(filtered.filters).toEqual({ source: 'direct', country: 'DE' });
  expect(withFilter(filtered, 'country', 'FR').filters).toEqual({ source: 'direct', country: 'FR' });
  expect(withFilter(filtered, 'country', null)).toEqual(view);
});

test('another window has its own unit and keeps the filters', () => {
  const view = read('days=90&by=week&os=Android');
  const shorter = withWindow(view, { from: '2026-11-21', to: '2026-11-21' });
  expect(write(shorter)).toBe('from=2026-11-21&to=2026-11-21&os=Android');
});
