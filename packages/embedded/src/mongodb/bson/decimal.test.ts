import { Decimal128, Double } from 'bson';
import { describe, expect, it } from 'vitest';
import { add, multiply } from '../numbers.ts';
import { compareValues } from './compare.ts';

const decimal = (text: string) => Decimal128.fromString(text);

describe('decimals', () => {
  it.each([
    ['0.1', '0.2', '0.3', '0.02'],
    ['1.10', '-1.1', '0.00', '-1.210'],
    [
      '9999999999999999999999999999999999',
      '1',
      '1.000000000000000000000000000000000E+34',
      '9999999999999999999999999999999999',
    ],
  ])('%s and %s', (a, b, sum, product) => {
    expect(String(add(decimal(a), decimal(b)))).toBe(sum);
    expect(String(multiply(decimal(a), decimal(b)))).toBe(product);
  });

  it('compare by exact value with numbers of other types', () => {
    expect(compareValues(decimal('0.1'), new Double(0.1))).toBeLessThan(0); // the double is a little more
    expect(compareValues(decimal('0.5'), new Double(0.5))).toBe(0);
    expect(compareValues(decimal('9007199254740993'), 9007199254740992n)).toBeGreaterThan(0);
    expect(compareValues(decimal('NaN'), -1)).toBeLessThan(0);
    expect(compareValues(decimal('Infinity'), new Double(Number.MAX_VALUE))).toBeGreaterThan(0);
  });
});
