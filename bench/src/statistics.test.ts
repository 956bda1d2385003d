import { describe, expect, test } from 'vitest';
import { median, percentile, quartiles } from './statistics.ts';

describe('median', () => {
  test('is the middle value, whatever the order', () => expect(median([9, 1, 5])).toBe(5));
  test('is the mean of the two in the middle of an even number', () => expect(median([8, 1, 2, 4])).toBe(3));
  test('of no values is NaN', () => expect(median([])).toBeNaN());
  test('does not change its input', () => {
    const values = [3, 1, 2];
    median(values);
    expect(values).toEqual([3, 1, 2]);
  });
});

describe('percentile, by nearest rank', () => {
  const hundred = Array.from({ length: 100 }, (_, index) => 100 - index);
  test.each([
    [0.5, 50],
    [0.99, 99],
    [1, 100],
    [0, 1],
  ])('p = %d of 1 to 100 is %d', (p, expected) => expect(percentile(hundred, p)).toBe(expected));
  test('of one value is that value', () => expect(percentile([7], 0.99)).toBe(7));
  test('of no values is NaN', () => expect(percentile([], 0.5)).toBeNaN());
});

test('the middle half lies between the quartiles', () => {
  expect(quartiles([8, 1, 2, 7, 3, 6, 4, 5])).toEqual({ low: 2, high: 6 });
});
