import { Long, type ObjectId } from 'bson';
import { notSupported } from '../errors.ts';
import { type Numeric, ORDER, orderOf, typeName } from './values.ts';

/**
 * Compares two values in MongoDB's order: by type first (all numbers are one type), then by value. Returns a negative
 * number, zero or a positive number. Strings compare by their UTF-8 bytes. Throws NotImplemented (238) for two
 * documents, two arrays and NaN.
 */
export function compareValues(a: unknown, b: unknown): number {
  if (typeof a === 'string' && typeof b === 'string') return compareStrings(a, b);
  const order = orderOf(a);
  const difference = order - orderOf(b);
  if (difference !== 0) return difference;
  switch (order) {
    case ORDER.missing:
    case ORDER.null:
      return 0;
    case ORDER.number:
      return compareNumbers(a as Numeric, b as Numeric);
    case ORDER.objectId:
      return Buffer.compare((a as ObjectId).id, (b as ObjectId).id);
    case ORDER.boolean:
      return Number(a) - Number(b);
    case ORDER.date:
      return (a as Date).getTime() - (b as Date).getTime();
    default:
      throw notSupported(`comparing values of type ${typeName(a)}`);
  }
}

/** Returns whether MongoDB treats the two values as equal, as it does 1, 1.0 and NumberLong(1). */
export function equalValues(a: unknown, b: unknown): boolean {
  return a === b || compareValues(a, b) === 0;
}

function compareNumbers(a: Numeric, b: Numeric): number {
  const [x, y] = [exact(a), exact(b)];
  if (Number.isNaN(x) || Number.isNaN(y)) throw notSupported('comparing NaN');
  // JavaScript compares a bigint and a number by value, without rounding.
  return x < y ? -1 : x > y ? 1 : 0;
}

function exact(value: Numeric): number | bigint {
  if (typeof value !== 'object') return value;
  return value instanceof Long ? value.toBigInt() : value.value;
}

/** Compares strings by their UTF-8 bytes, which is the order of code points, not of JavaScript's code units. */
function compareStrings(a: string, b: string): number {
  if (a === b) return 0;
  const length = Math.min(a.length, b.length);
  for (let at = 0; at < length; at += 1) {
    let x = a.charCodeAt(at);
    let y = b.charCodeAt(at);
    if (x === y) continue;
    // A surrogate belongs to a code point above the basic plane, so it sorts after all other code units.
    if (x >= 0xd800 && y >= 0xd800) {
      if (x < 0xe000) x += 0x2800;
      if (y < 0xe000) y += 0x2800;
    }
    return x - y;
  }
  return a.length - b.length;
}
