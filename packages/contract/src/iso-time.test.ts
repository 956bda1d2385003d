import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isoTime } from './iso-time.ts';

test('is what Date.toISOString gives, for every date', () => {
  fc.assert(
    fc.property(fc.date({ noInvalidDate: true }), (date) => {
      expect(isoTime(date.getTime())).toBe(date.toISOString());
    }),
  );
});

test('drops parts of a millisecond and refuses what is no date', () => {
  expect(isoTime(1_700_000_000_123.75)).toBe('2023-11-14T22:13:20.123Z');
  for (const ms of [Number.NaN, 9e15]) expect(() => isoTime(ms)).toThrow(RangeError);
});
