import { compareValues } from '../bson/compare.ts';
import { type Document, getField, isNumeric } from '../bson/values.ts';
import { CommandError, notSupported } from '../errors.ts';
import { toNumber } from '../numbers.ts';
import { componentsOf } from './path.ts';

/** One field of a sort; the first field takes precedence. */
export interface SortField {
  /** A top-level field. */
  path: string;
  direction: 1 | -1;
}

/**
 * Parses a sort specification. Throws 15975 for a direction other than 1 and -1, and 15974 for a value that is not a
 * number, such as `$meta`.
 */
export function parseSort(sort: Document): SortField[] {
  return Object.entries(sort).map(([path, direction]) => {
    if (!isNumeric(direction))
      throw new CommandError(15974, `Illegal key in $sort specification: ${path}: ${String(direction)}`);
    const sign = toNumber(direction);
    if (sign !== 1 && sign !== -1)
      throw new CommandError(15975, '$sort key ordering must be 1 (for ascending) or -1 (for descending)');
    if (componentsOf(path).length > 1) throw notSupported(`the sort by the path '${path}'`);
    return { path, direction: sign };
  });
}

/** Returns the values that a document is sorted by: null for a missing one. Throws NotImplemented (238) for arrays. */
export function sortKey(document: Document, fields: readonly SortField[]): unknown[] {
  return fields.map(({ path }) => {
    const value = getField(document, path) ?? null;
    if (Array.isArray(value)) throw notSupported(`the sort by the array '${path}'`);
    return value;
  });
}

/** Compares two sort keys. */
export function compareSortKeys(a: readonly unknown[], b: readonly unknown[], fields: readonly SortField[]): number {
  for (const [at, { direction }] of fields.entries()) {
    const difference = compareValues(a[at], b[at]);
    if (difference !== 0) return difference * direction;
  }
  return 0;
}
