import { orderOf } from '../bson/values.ts';
import { encodeValue, successor, typeStart } from '../storage/key-encoding.ts';
import type { PathCondition } from './filter.ts';

/** A range of encoded values of one index field, `high` excluded. */
export interface Interval {
  low: Buffer;
  high: Buffer;
  /** The encoded value, if the range contains only that one. */
  point: Buffer | undefined;
}

/** A key after those of all values. */
const END = Buffer.of(0xff);

/**
 * Returns the ranges of keys that a condition allows, disjoint and in ascending order. Without arrays, a field's value
 * is in the ranges if and only if the condition holds. Returns undefined if an index does not help. If different values
 * may share a key (`isInexact`), the ranges include their end points, and the documents must be tested.
 */
export function intervalsOf({ operator, operand }: PathCondition, isInexact: boolean): Interval[] | undefined {
  if (operator === '$exists') return undefined;
  if (operator === '$eq') return points([operand]);
  if (operator === '$in') return points(operand as unknown[]);
  const order = orderOf(operand);
  const key = encodeValue(operand);
  const [first, end] = [typeStart(order), typeStart(order + 1)];
  if (operator === '$not $lte') {
    // Values of other types, and missing ones, are not less.
    const below = { low: Buffer.alloc(0), high: first, point: undefined };
    return [below, { low: isInexact ? key : successor(key), high: END, point: undefined }];
  }
  if (operator === '$gt') return [{ low: isInexact ? key : successor(key), high: end, point: undefined }];
  const high = operator === '$lt' && !isInexact ? key : successor(key);
  return [{ low: first, high, point: undefined }];
}

function points(values: readonly unknown[]): Interval[] {
  const sorted = values.map(encodeValue).sort(Buffer.compare);
  const distinct = sorted.filter((key, at) => at === 0 || !key.equals(sorted[at - 1] as Buffer));
  return distinct.map((key) => ({ low: key, high: successor(key), point: key }));
}

/** Returns the ranges that are in both lists. */
export function intersect(a: readonly Interval[], b: readonly Interval[]): Interval[] {
  return a.flatMap((x) =>
    b.flatMap((y): Interval[] => {
      const low = Buffer.compare(x.low, y.low) >= 0 ? x.low : y.low;
      const high = Buffer.compare(x.high, y.high) <= 0 ? x.high : y.high;
      if (Buffer.compare(low, high) >= 0) return [];
      return [{ low, high, point: x.point ?? y.point }];
    }),
  );
}
