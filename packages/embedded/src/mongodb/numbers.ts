import { Decimal128, Double } from 'bson';
import { addDecimals, type Decimal, decimalOfDouble, multiplyDecimals, toDecimal } from './bson/decimal.ts';
import { isNumeric, type Numeric } from './bson/values.ts';

const INT32_MIN = -(2 ** 31);
const INT32_MAX = 2 ** 31 - 1;
const INT64_MIN = -(2n ** 63n);
const INT64_MAX = 2n ** 63n - 1n;

/** A JavaScript integer as the smallest BSON number type that holds it. */
export function fromInteger(value: number): Numeric {
  return value >= INT32_MIN && value <= INT32_MAX ? value : BigInt(value);
}

/** A number of any kind as a JavaScript number, rounded where it must be. */
export function toNumber(value: Numeric): number {
  if (typeof value === 'number') return value;
  if (value instanceof Double) return value.value;
  return Number(value instanceof Decimal128 ? value.toString() : value);
}

/** A whole number of any kind as a JavaScript number; anything else is the caller's error. */
export function toInteger(value: unknown, error: () => Error): number {
  if (!isNumeric(value)) throw error();
  const number = toNumber(value);
  if (!Number.isSafeInteger(number)) throw error();
  return number;
}

/** The whole part of a finite number, or undefined for what is none. */
export function asInteger(value: unknown): bigint | undefined {
  if (typeof value === 'bigint') return value;
  if (!isNumeric(value)) return undefined;
  const number = toNumber(value);
  return Number.isFinite(number) ? BigInt(Math.trunc(number)) : undefined;
}

/**
 * Adds as MongoDB does: the result has the wider of the two types, and int32 grows into int64. Gives undefined when
 * int64 would overflow.
 */
export function add(a: Numeric, b: Numeric): Numeric | undefined {
  return combine(
    a,
    b,
    (x, y) => x + y,
    (x, y) => x + y,
    addDecimals,
  );
}

/** Multiplies; types and overflow as in `add`. */
export function multiply(a: Numeric, b: Numeric): Numeric | undefined {
  return combine(
    a,
    b,
    (x, y) => x * y,
    (x, y) => x * y,
    multiplyDecimals,
  );
}

/** The number with its sign changed. */
export function negative(value: Numeric): Numeric | undefined {
  return multiply(value, -1);
}

function combine(
  a: Numeric,
  b: Numeric,
  doubles: (x: number, y: number) => number,
  integers: (x: bigint, y: bigint) => bigint,
  decimals: (x: Decimal, y: Decimal) => Decimal128,
): Numeric | undefined {
  if (a instanceof Decimal128 || b instanceof Decimal128) {
    const x = decimalOf(a);
    const y = decimalOf(b);
    if (x && y) return decimals(x, y);
    return Decimal128.fromString(String(doubles(toNumber(a), toNumber(b))));
  }
  if (a instanceof Double || b instanceof Double) return new Double(doubles(toNumber(a), toNumber(b)));
  const result = integers(BigInt(a), BigInt(b));
  if (typeof a === 'number' && typeof b === 'number' && result >= INT32_MIN && result <= INT32_MAX)
    return Number(result);
  return result >= INT64_MIN && result <= INT64_MAX ? result : undefined;
}

function decimalOf(value: Numeric): Decimal | undefined {
  if (value instanceof Decimal128) return toDecimal(value);
  if (value instanceof Double) return Number.isFinite(value.value) ? decimalOfDouble(value.value) : undefined;
  return { coefficient: BigInt(value), exponent: 0 };
}
