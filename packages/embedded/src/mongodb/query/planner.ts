import { equalValues } from '../bson/compare.ts';
import { badValue } from '../errors.ts';
import type { Collection } from '../storage/collection.ts';
import { MAX_VALUE_BYTES } from '../storage/index-keys.ts';
import type { Index } from '../storage/indexes.ts';
import { successor } from '../storage/key-encoding.ts';
import { bound } from '../storage/keys.ts';
import type { Filter, PathCondition } from './filter.ts';
import { type Interval, intersect, intervalsOf } from './intervals.ts';
import type { CollectionPlan, IndexPlan, Plan, Segment } from './plan.ts';
import { Scan } from './scan.ts';
import type { SortField } from './sort.ts';

/** The maximum number of ranges that combining `$in` conditions may produce. */
const MAX_PREFIXES = 500;
/** The maximum number of segments that are merged. */
const MAX_MERGED = 50;
/** The number of matches up to which sorting them is better than a search in the order of the sort. */
const FEW_MATCHES = 1000;

/**
 * Chooses how to find the documents. In order of preference: a unique index with given values for all its fields; the
 * index with the fewest keys within its bounds, if they are few; an index with bounds in the order of the sort; the
 * index that knows most conditions; an index in the order of the sort; and the whole collection. With a hint, the name of
 * an index, the others only say which of its documents match.
 */
export function choosePlan(collection: Collection, filter: Filter, sort: readonly SortField[], hint?: string): Plan {
  const plans: IndexPlan[] = [];
  for (const index of collection.indexes) {
    const plan = planFor(index, filter, sort);
    if (plan?.isUnique && hint === undefined) return plan;
    if (plan) plans.push(plan);
  }
  plans.sort((a, b) => b.used.size - a.used.size || Number(b.sorted) - Number(a.sorted));
  if (hint !== undefined) return hintedPlan(collection, filter, sort, plans, hint);
  const bounded = plans.filter(({ used }) => used.size > 0);
  const ordered = bounded.find(({ sorted }) => sorted);
  const narrow = narrowest(bounded);
  const [first] = narrow;
  if (!first) return plans.find(({ sorted }) => sorted && sort.length > 0) ?? wholeCollection(filter, sort);
  if (narrow.length === 1 && (first === ordered || !ordered)) return first;
  return (
    fewest(collection, narrow) ?? (ordered ? { ...ordered, narrow: narrow.filter((one) => one !== ordered) } : first)
  );
}

function hintedPlan(
  collection: Collection,
  filter: Filter,
  sort: readonly SortField[],
  plans: readonly IndexPlan[],
  hint: string,
): Plan {
  if (!collection.indexes.some(({ name }) => name === hint))
    throw badValue('hint provided does not correspond to an existing index');
  const hinted = plans.find(({ index }) => index.name === hint);
  if (!hinted) return wholeCollection(filter, sort);
  if (hinted.exact) return hinted;
  const others = plans.filter(({ used }) => [...used].some((condition) => !hinted.used.has(condition)));
  return { ...hinted, narrow: narrowest(others) };
}

/** Returns the plans without those that have all keys of another one, because that uses the same conditions and more. */
function narrowest(plans: readonly IndexPlan[]): IndexPlan[] {
  return plans.filter(
    ({ used }, at) => !plans.slice(0, at).some((other) => [...used].every((one) => other.used.has(one))),
  );
}

function wholeCollection(filter: Filter, sort: readonly SortField[]): CollectionPlan {
  const exact = filter.conditions.length === 0 && filter.conditionsAreAll;
  return { kind: 'collection', exact, sorted: sort.length === 0 };
}

/** Returns the plan with the fewest keys within its bounds, or undefined if all have many. */
function fewest(collection: Collection, plans: readonly IndexPlan[]): IndexPlan | undefined {
  let least = FEW_MATCHES;
  let best: IndexPlan | undefined;
  for (const plan of plans) {
    const count = new Scan(collection, plan).count(least);
    if (count >= least) continue;
    least = count;
    best = plan;
  }
  return best;
}

/** Returns the plan with one index, or undefined if the index lacks documents that could match. */
function planFor(index: Index, filter: Filter, sort: readonly SortField[]): IndexPlan | undefined {
  if (!holdsAllMatches(index, filter)) return undefined;
  const used = new Set<PathCondition>();
  let prefixes: Buffer[] = [Buffer.alloc(0)];
  let segments: Segment[] | undefined;
  let points = 0;
  const single = new Set<string>();
  /** Whether the keys are limited to one element of an array, so that a document has at most one of them. */
  let isOneElement = false;
  let isWithArray = false;
  for (const [at, { path }] of index.fields.entries()) {
    // Two conditions on an array may hold for different elements, so only one of them can be a bound.
    if (index.multikey[at] && isWithArray) break;
    const found = boundsOf(path, filter.conditions, index.multikey[at] === true, index.inexact);
    if (!found) break;
    for (const condition of found.used) used.add(condition);
    const { ranges } = found;
    const arePoints = ranges.every(({ point }) => point !== undefined);
    if (arePoints) {
      points += 1;
      if (ranges.length === 1 && !index.multikey[at]) single.add(path);
    }
    if (!arePoints || prefixes.length * ranges.length > MAX_PREFIXES) {
      segments = prefixes.flatMap((prefix) => ranges.map((range) => segmentOf(index, prefix, range)));
      break;
    }
    prefixes = prefixes.flatMap((prefix) => ranges.map(({ point }) => Buffer.concat([prefix, point as Buffer])));
    if (index.multikey[at]) {
      isWithArray = true;
      isOneElement = ranges.length === 1;
    }
  }
  segments ??= prefixes.map((prefix) => {
    const start = capped(index, prefix);
    return { start, end: successor(start), prefix: start.length };
  });
  const isCut = segments.some(({ start }) => start.length >= 4 + MAX_VALUE_BYTES);
  const repeats = index.multikey.includes(true) && !(isOneElement && index.multikey.filter(Boolean).length === 1);
  const direction = sortDirection(index, sort, points, single);
  const inOrder = direction !== undefined && segments.length <= MAX_MERGED;
  return {
    kind: 'index',
    index,
    segments,
    exact:
      filter.conditionsAreAll &&
      !index.inexact &&
      !repeats &&
      !isCut &&
      filter.conditions.every((one) => used.has(one) || index.partial?.conditions.some((other) => isSame(one, other))),
    used,
    sorted: sort.length === 0 || inOrder,
    merged: inOrder && segments.length > 1,
    reverse: direction === -1,
    repeats,
    isUnique: index.unique && points === index.fields.length,
  };
}

function segmentOf(index: Index, prefix: Buffer, range: Interval): Segment {
  const start = capped(index, Buffer.concat([prefix, range.low]));
  const high = Buffer.concat([prefix, range.high]);
  const end = capped(index, high);
  const shared = capped(index, Buffer.concat([prefix, range.point ?? Buffer.alloc(0)]));
  return { start, end: high.length > MAX_VALUE_BYTES ? successor(end) : end, prefix: shared.length };
}

const capped = (index: Index, bytes: Buffer): Buffer => bound(index.id, bytes.subarray(0, MAX_VALUE_BYTES));

/**
 * Returns the ranges that all conditions on a path allow; if the path has arrays, those of the first condition only.
 */
function boundsOf(path: string, conditions: readonly PathCondition[], isMultikey: boolean, isInexact: boolean) {
  let ranges: Interval[] | undefined;
  const used: PathCondition[] = [];
  for (const condition of conditions) {
    if (condition.path !== path || (isMultikey && ranges)) continue;
    const found = intervalsOf(condition, isInexact);
    if (!found) continue;
    ranges = ranges === undefined ? found : intersect(ranges, found);
    used.push(condition);
  }
  return ranges && { ranges, used };
}

/**
 * Returns the direction in which the fields of the index after those with given values are in the order of the sort;
 * else undefined.
 */
function sortDirection(
  index: Index,
  sort: readonly SortField[],
  points: number,
  single: ReadonlySet<string>,
): 1 | -1 | undefined {
  const [first] = sort;
  if (index.inexact || first === undefined) return undefined;
  // Fields with a single value do not change the order.
  const ordering = sort.filter(({ path }) => !single.has(path));
  const isInOrder = ordering.every(({ path, direction }, at) => {
    const field = index.fields[points + at];
    return field?.path === path && !index.multikey[points + at] && direction === ordering[0]?.direction;
  });
  return isInOrder ? (ordering[0]?.direction ?? 1) : undefined;
}

/** Returns whether a sparse or partial index contains every document that matches the filter. */
function holdsAllMatches(index: Index, filter: Filter): boolean {
  const excludesMissing = ({ path, operator, operand }: PathCondition) =>
    operator !== '$not $lte' &&
    index.fields.some((field) => field.path === path) &&
    (operator === '$in' ? !(operand as unknown[]).includes(null) : operand !== null);
  if (index.sparse && !filter.conditions.some(excludesMissing)) return false;
  return index.partial?.conditions.every((needed) => filter.conditions.some((given) => implies(given, needed))) ?? true;
}

/** Returns whether every document that a condition holds for is one that the other holds for, too. */
function implies(given: PathCondition, needed: PathCondition): boolean {
  if (isSame(given, needed)) return true;
  // Of an array, one element decides both.
  if (given.path !== needed.path || !['$eq', '$in'].includes(given.operator)) return false;
  if (!['$gt', '$lt', '$lte'].includes(needed.operator)) return false;
  const allowed = intervalsOf(needed, false)!;
  return intervalsOf(given, false)!.every((value) => intersect([value], allowed).length > 0);
}

function isSame(a: PathCondition, b: PathCondition): boolean {
  if (a.path !== b.path || a.operator !== b.operator) return false;
  if (!Array.isArray(a.operand)) return equalValues(a.operand, b.operand);
  const others = b.operand as unknown[];
  return a.operand.length === others.length && a.operand.every((item, at) => equalValues(item, others[at]));
}
