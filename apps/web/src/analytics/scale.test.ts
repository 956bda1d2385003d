import fc from 'fast-check';
import { expect, test } from 'vitest';
import { labelledBars, ticksOf } from './scale.ts';

test('lines are whole, evenly spaced, few, and the last one is not below the highest bar', () => {
  fc.assert(
    fc.property(fc.nat(2_000_000_000), (max) => {
      const ticks = ticksOf(max);
      const step = ticks[1]!;
      expect(ticks[0]).toBe(0);
      expect(Number.isInteger(step)).toBe(true);
      expect(ticks.every((tick, index) => tick === index * step)).toBe(true);
      expect(ticks.at(-1)!).toBeGreaterThanOrEqual(max);
      expect(ticks.at(-1)! - step < max || max === 0).toBe(true);
      expect(ticks.length).toBeLessThanOrEqual(5);
    }),
  );
});

test.each([
  [0, [0, 1]],
  [1, [0, 1]],
  [3, [0, 1, 2, 3]],
  [7, [0, 2, 4, 6, 8]],
  [1234, [0, 500, 1000, 1500]],
])('up to %i: %j', (max, ticks) => {
  expect(ticksOf(max)).toEqual(ticks);
});

test('at most as many bars have a label as there is room for, and the last one has', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 400 }), fc.integer({ min: 1, max: 20 }), (length, most) => {
      const labelled = labelledBars(length, most);
      expect(labelled.size).toBeLessThanOrEqual(most);
      expect(labelled.has(length - 1)).toBe(true);
    }),
  );
});
