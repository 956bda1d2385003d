import { Double, Int32, Long } from 'bson';
import type { Numeric } from './bson/values.ts';

const INT32_MAX = 2 ** 31 - 1;
const INT64_MAX = 2n ** 63n - 1n;

/** Converts a number of any kind to a JavaScript number, rounded if necessary. */
export function toNumber(value: Numeric): number {
  if (typeof value !== 'object') return Number(value);
  return value instanceof Long ? value.toNumber() : value.value;
}

/**
 * Adds two numbers as MongoDB does: the result has the wider of the two types, and int32 widens to int64. Returns
 * undefined if int64 would overflow.
 */
export function add(a: Numeric, b: Numeric): Numeric | undefined {
  if (a instanceof Double || b instanceof Double) return new Double(toNumber(a) + toNumber(b));
  const sum = toBigInt(a) + toBigInt(b);
  if (a instanceof Int32 && b instanceof Int32 && sum <= INT32_MAX && sum >= -INT32_MAX - 1)
    return new Int32(Number(sum));
  return sum <= INT64_MAX && sum >= -INT64_MAX - 1n ? Long.fromBigInt(sum) : undefined;
}

function toBigInt(value: Numeric): bigint {
  return value instanceof Long ? value.toBigInt() : BigInt(toNumber(value));
}
