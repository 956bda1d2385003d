import { type BSONRegExp, Double, MaxKey, MinKey } from 'bson';
import { isNumeric, ORDER, orderOf } from '../bson/values.ts';
import { toNumber } from '../numbers.ts';
import { encodeValue, invert, successor, typeStart } from '../storage/key-encoding.ts';
import type { PathCondition } from './filter.ts';

/** A range of encoded values of one index field: from `low` on, and before `high`. */
export interface Interval {
  low: Buffer;
  high: Buffer;
  /** The one encoded value that the range is, when it is that. */
  point: Buffer | undefined;
}

export interface Intervals {
  /** Disjoint, in ascending order. */
  ranges: Interval[];
  /** Whether a value is in the ranges exactly when the condition holds (for a field without arrays). */
  exact: boolean;
}

/**
 * The ranges that a condition allows, or undefined when an index does not narrow it down. In an index where different
 * values share an encoding (`inexact`), the end points stay in the ranges and the documents decide.
 */
export function intervalsOf(condition: PathCondition, inexact: boolean): Intervals | undefined {
  const { operator, operand } = condition;
  switch (operator) {
    case '$eq':
      return points([operand]);
    case '$in':
      return points(operand as unknown[]);
    case '$regex':
      return regexRanges(operand as BSONRegExp);
    case '$exists':
      return undefined;
    default:
      return comparisonRange(operator, operand, inexact);
  }
}

function points(values: readonly unknown[]): Intervals | undefined {
  if (values.some(Array.isArray)) return undefined; // matches whole arrays and their elements
  const encoded = values.map(encodeValue);
  const sorted = encoded.map(({ bytes }) => bytes).sort(Buffer.compare);
  const distinct = sorted.filter((bytes, at) => at === 0 || !bytes.equals(sorted[at - 1] as Buffer));
  return { ranges: distinct.map(pointOf), exact: encoded.every(({ exact }) => exact) };
}

const pointOf = (bytes: Buffer): Interval => ({ low: bytes, high: successor(bytes), point: bytes });

function comparisonRange(
  operator: '$gt' | '$gte' | '$lt' | '$lte',
  operand: unknown,
  inexact: boolean,
): Intervals | undefined {
  if (operand === null) return operator === '$gte' || operator === '$lte' ? points([null]) : undefined;
  if (Array.isArray(operand) || operand instanceof MinKey || operand instanceof MaxKey) return undefined;
  if (isNumeric(operand) && Number.isNaN(toNumber(operand))) return undefined;
  const order = orderOf(operand);
  const { bytes, exact } = encodeValue(operand);
  // NaN is stored below every number, and compares with none of them.
  const first = order === ORDER.number ? encodeValue(new Double(Number.NEGATIVE_INFINITY)).bytes : typeStart(order);
  const end = typeStart(order + 1);
  const range = (low: Buffer, high: Buffer): Intervals => ({ ranges: [{ low, high, point: undefined }], exact });
  const open = exact && !inexact;
  switch (operator) {
    case '$gt':
      return range(open ? successor(bytes) : bytes, end);
    case '$gte':
      return range(bytes, end);
    case '$lt':
      return range(first, open ? bytes : successor(bytes));
    case '$lte':
      return range(first, successor(bytes));
  }
}

function regexRanges(regex: BSONRegExp): Intervals | undefined {
  const prefix = literalPrefix(regex);
  if (prefix === '') return undefined;
  const encoded = encodeValue(prefix).bytes;
  const low = encoded.subarray(0, encoded.length - 1); // without the terminator: every text that begins so
  return { ranges: [{ low, high: successor(low), point: undefined }, pointOf(encodeValue(regex).bytes)], exact: false };
}

/** What every text that matches must begin with; empty when nothing is certain. */
export function literalPrefix(regex: BSONRegExp): string {
  if (regex.options !== '' || !regex.pattern.startsWith('^') || regex.pattern.includes('|')) return '';
  let prefix = '';
  const source = regex.pattern.slice(1);
  for (let at = 0; at < source.length; ) {
    let character = codePointIn(source, at);
    let size = character.length;
    if (character === '\\') {
      character = codePointIn(source, at + 1);
      size += character.length;
      if (character === '' || /[\p{L}\p{N}]/u.test(character)) return prefix; // a class, an assertion, a code
    } else if ('^$.*+?()[]{}'.includes(character)) return prefix;
    const next = source[at + size];
    if (next === '*' || next === '?' || next === '{') return prefix;
    prefix += character;
    at += size;
    if (next === '+') return prefix;
  }
  return prefix;
}

function codePointIn(text: string, at: number): string {
  const point = text.codePointAt(at);
  return point === undefined ? '' : String.fromCodePoint(point);
}

/** The ranges that lie in both lists. */
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

/** The range as it lies in a descending field, whose keys are inverted. */
export function mirrored({ low, high, point }: Interval): Interval {
  return { low: successor(invert(high)), high: successor(invert(low)), point: point && invert(point) };
}
