import {
  type Binary,
  type BSONRegExp,
  BSONSymbol,
  type Code,
  type DBRef,
  Decimal128,
  Double,
  type ObjectId,
} from 'bson';
import { compareDecimals, decimalOfDouble, specialOf, toDecimal } from './decimal.ts';
import { type Document, type Numeric, ORDER, orderOf } from './values.ts';

/**
 * MongoDB's order over all values: by type first (numbers of all kinds are one type), then by value. Negative, zero or
 * positive. Strings compare by their UTF-8 bytes, NaN is below every number, and documents compare field by field:
 * type, then name, then value.
 */
export function compareValues(a: unknown, b: unknown): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  if (typeof a === 'string' && typeof b === 'string') return compareStrings(a, b);
  const order = orderOf(a);
  const difference = order - orderOf(b);
  if (difference !== 0) return difference;
  switch (order) {
    case ORDER.number:
      return compareNumbers(a as Numeric, b as Numeric);
    case ORDER.string:
      return compareStrings(textOf(a), textOf(b));
    case ORDER.object:
      return compareDocuments(a as Document, b as Document);
    case ORDER.array:
      return compareArrays(a as unknown[], b as unknown[]);
    case ORDER.binary:
      return compareBinaries(a as Binary, b as Binary);
    case ORDER.objectId:
      return Buffer.compare((a as ObjectId).id, (b as ObjectId).id);
    case ORDER.boolean:
      return Number(a) - Number(b);
    case ORDER.date:
      return (a as Date).getTime() - (b as Date).getTime();
    case ORDER.timestamp: {
      const [x, y] = [a as { toBigInt(): bigint }, b as { toBigInt(): bigint }].map((t) =>
        BigInt.asUintN(64, t.toBigInt()),
      );
      return (x as bigint) < (y as bigint) ? -1 : (x as bigint) > (y as bigint) ? 1 : 0;
    }
    case ORDER.regex: {
      const [x, y] = [a as BSONRegExp, b as BSONRegExp];
      return compareStrings(x.pattern, y.pattern) || compareStrings(x.options, y.options);
    }
    case ORDER.dbRef: {
      const [x, y] = [a as DBRef, b as DBRef];
      return compareStrings(x.collection, y.collection) || Buffer.compare(x.oid.id, y.oid.id);
    }
    case ORDER.code:
    case ORDER.codeWithScope: {
      const [x, y] = [a as Code, b as Code];
      return compareStrings(x.code, y.code) || compareDocuments(x.scope ?? {}, y.scope ?? {});
    }
    default:
      return 0;
  }
}

/** Whether MongoDB takes the two for equal: 1, 1.0 and NumberLong(1) are. */
export function equalValues(a: unknown, b: unknown): boolean {
  return a === b || compareValues(a, b) === 0;
}

/** The text of a string or a symbol. */
export function textOf(value: unknown): string {
  return value instanceof BSONSymbol ? value.value : (value as string);
}

/** Compares two numbers of any kinds by their exact values. */
export function compareNumbers(a: Numeric, b: Numeric): number {
  if (a instanceof Decimal128 || b instanceof Decimal128) return compareWithDecimal(a, b);
  const x = a instanceof Double ? a.value : a;
  const y = b instanceof Double ? b.value : b;
  if (x < y) return -1; // JavaScript compares a bigint and a number by value, without rounding
  if (x > y) return 1;
  const nanX = Number.isNaN(x);
  const nanY = Number.isNaN(y);
  return nanX === nanY ? 0 : nanX ? -1 : 1;
}

function compareWithDecimal(a: Numeric, b: Numeric): number {
  const x = exact(a);
  const y = exact(b);
  if (typeof x === 'object' && typeof y === 'object') return compareDecimals(x, y);
  // At least one is NaN or infinite; any finite number can stand for the other.
  return compareNumbers(new Double(typeof x === 'object' ? 0 : x), new Double(typeof y === 'object' ? 0 : y));
}

function exact(value: Numeric) {
  if (value instanceof Decimal128) return toDecimal(value) ?? specialOf(value);
  if (value instanceof Double) return Number.isFinite(value.value) ? decimalOfDouble(value.value) : value.value;
  return { coefficient: BigInt(value), exponent: 0 };
}

/** The order of the UTF-8 bytes, which is that of code points and not that of JavaScript's code units. */
function compareStrings(a: string, b: string): number {
  if (a === b) return 0;
  const length = Math.min(a.length, b.length);
  for (let at = 0; at < length; at += 1) {
    let x = a.charCodeAt(at);
    let y = b.charCodeAt(at);
    if (x === y) continue;
    // A surrogate stands for a code point above all of the basic plane.
    if (x >= 0xd800 && y >= 0xd800) {
      if (x < 0xe000) x += 0x2800;
      if (y < 0xe000) y += 0x2800;
    }
    return x - y;
  }
  return a.length - b.length;
}

function compareDocuments(a: Document, b: Document): number {
  const namesA = Object.keys(a);
  const namesB = Object.keys(b);
  const length = Math.min(namesA.length, namesB.length);
  for (let at = 0; at < length; at += 1) {
    const nameA = namesA[at] as string;
    const nameB = namesB[at] as string;
    const difference =
      orderOf(a[nameA]) - orderOf(b[nameB]) || compareStrings(nameA, nameB) || compareValues(a[nameA], b[nameB]);
    if (difference !== 0) return difference;
  }
  return namesA.length - namesB.length;
}

function compareArrays(a: unknown[], b: unknown[]): number {
  const length = Math.min(a.length, b.length);
  for (let at = 0; at < length; at += 1) {
    const difference = compareValues(a[at], b[at]);
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}

function compareBinaries(a: Binary, b: Binary): number {
  return (
    a.position - b.position ||
    a.sub_type - b.sub_type ||
    Buffer.compare(a.buffer.subarray(0, a.position), b.buffer.subarray(0, b.position))
  );
}
