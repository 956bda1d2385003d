import { equalValues } from '../bson/compare.ts';
import { type Document, isNumeric } from '../bson/values.ts';
import { badValue } from '../errors.ts';
import { toNumber } from '../numbers.ts';
import type { Collection } from '../storage/collection.ts';
import { MAX_VALUE_BYTES } from '../storage/index-keys.ts';
import type { Index } from '../storage/indexes.ts';
import { successor } from '../storage/key-encoding.ts';
import { bound, idPrefix } from '../storage/keys.ts';
import { compileFilter, type Filter, type PathCondition } from './filter.ts';
import { type Interval, intersect, intervalsOf, mirrored } from './intervals.ts';
import type { SortField } from './sort.ts';

/** A range of stored keys, `end` excluded. */
export interface Segment {
  start: Buffer;
  end: Buffer;
  /** How many leading bytes all keys of the segment share, for merging segments by what comes after. */
  fixed: number;
}

export interface CollectionPlan {
  kind: 'collection';
  reverse: boolean;
  /** True for an empty filter: no document needs to be tested. */
  exact: boolean;
  sorted: boolean;
}

export interface IndexPlan {
  kind: 'index';
  index: Index;
  segments: Segment[];
  reverse: boolean;
  /** Whether every key in the segments is a match, so that no document needs to be tested. */
  exact: boolean;
  /** Whether the keys come in the order of the sort. */
  sorted: boolean;
  /** Whether the segments have to be merged to come in the order of the sort. */
  merge: boolean;
  /** Whether a document can come up more than once. */
  repeats: boolean;
  /** How many fields of the index have bounds. */
  bounded: number;
}

/** Several indexes one after the other, for `$or`. */
export interface UnionPlan {
  kind: 'union';
  plans: IndexPlan[];
  exact: false;
  sorted: false;
}

export type Plan = CollectionPlan | IndexPlan | UnionPlan;

/** What a plan is made for. */
export interface Query {
  filter: Filter;
  sort: readonly SortField[];
  /** How many documents at most will be taken, skipped ones included; undefined for all. */
  wanted: number | undefined;
  hint: unknown;
}

/** The most point ranges that conditions with `$in` are multiplied out to. */
const MAX_PREFIXES = 500;
/** How far the keys of a candidate are counted to estimate it. */
const MAX_ESTIMATE = 1000;

/** Counts the keys of a range, up to a limit. */
export type CountKeys = (range: { start: Buffer; end: Buffer }, most: number) => number;

/**
 * Chooses how to find the documents: the index whose keys are fewest to read for this filter, sort and limit, by
 * counting them up to a limit; the collection when no index helps. Throws BadValue for a hint without an index.
 */
export function choosePlan(collection: Collection, query: Query, countKeys: CountKeys): Plan {
  const empty = query.filter.conditionsAreAll && query.filter.conditions.length === 0;
  const scan: CollectionPlan = { kind: 'collection', reverse: false, exact: empty, sorted: query.sort.length === 0 };
  if (query.hint !== undefined) return hinted(collection, query, scan);
  const candidates = collection.indexes
    .map((index) => planFor(index, query))
    .filter(
      (plan) => plan !== undefined && (plan.bounded > 0 || (plan.sorted && query.sort.length > 0)),
    ) as IndexPlan[];
  if (!candidates.some((plan) => plan.bounded > 0)) {
    const union = unionPlan(collection, query);
    if (union) return union;
  }
  if (candidates.length === 0) return scan;
  if (candidates.length === 1)
    return preferable(candidates[0] as IndexPlan, query, collection) ? (candidates[0] as IndexPlan) : scan;
  const unique = candidates.find(
    (plan) =>
      plan.index.unique && plan.bounded === plan.index.fields.length && plan.segments.length === 1 && isPoint(plan),
  );
  if (unique) return unique;
  return cheapest(candidates, query, collection, countKeys);
}

/** A scan of a whole index only for its order is worth it when few documents are wanted, or it costs no more. */
function preferable(plan: IndexPlan, query: Query, collection: Collection): boolean {
  return (
    plan.bounded > 0 ||
    query.wanted === undefined ||
    query.wanted < Math.max(collection.count, 1) ||
    collection.count < 1000
  );
}

const isPoint = ({ segments: [segment] }: IndexPlan): boolean =>
  segment !== undefined && segment.start.length === segment.fixed && successor(segment.start).equals(segment.end);

function cheapest(candidates: IndexPlan[], query: Query, collection: Collection, countKeys: CountKeys): IndexPlan {
  const estimated = candidates.map((plan) => ({ plan, keys: estimate(plan, collection, countKeys) }));
  const fewest = Math.max(1, Math.min(...estimated.map(({ keys }) => keys)));
  let best: { plan: IndexPlan; cost: number } | undefined;
  for (const { plan, keys } of estimated) {
    let cost = keys;
    if (!plan.sorted) cost = keys * 2 + 20;
    else if (query.wanted !== undefined)
      cost = plan.exact ? Math.min(keys, query.wanted) : Math.min(keys, (query.wanted * keys) / fewest);
    if (!plan.exact) cost *= 4; // documents have to be fetched and tested
    cost -= plan.bounded / 10; // of equals, the one with more bounds
    if (!best || cost < best.cost) best = { plan, cost };
  }
  return (best as { plan: IndexPlan }).plan;
}

function estimate(plan: IndexPlan, collection: Collection, countKeys: CountKeys): number {
  if (plan.bounded === 0) return collection.count;
  let total = 0;
  for (const { start, end } of plan.segments) {
    total += countKeys({ start, end }, MAX_ESTIMATE - total);
    if (total >= MAX_ESTIMATE) return MAX_ESTIMATE;
  }
  return total;
}

function hinted(collection: Collection, query: Query, scan: CollectionPlan): Plan {
  const { hint } = query;
  const natural = typeof hint === 'object' && hint !== null ? (hint as Document).$natural : undefined;
  if (natural !== undefined) return { ...scan, reverse: isNumeric(natural) && toNumber(natural) < 0 };
  const index = collection.indexes.find(({ name, specification }) =>
    typeof hint === 'string' ? name === hint : equalValues(specification.key, hint),
  );
  if (!index)
    throw badValue(
      'error processing query: planner returned error :: caused by :: hint provided does not correspond to an existing index',
    );
  const plan = planFor(index, query, true);
  return plan ?? scan;
}

function unionPlan(collection: Collection, query: Query): UnionPlan | undefined {
  for (const branches of query.filter.alternatives) {
    const plans = branches.map((filter) => {
      const candidates = collection.indexes
        .map((index) => planFor(index, { filter, sort: [], wanted: undefined, hint: undefined }))
        .filter((plan): plan is IndexPlan => plan !== undefined && plan.bounded > 0);
      return candidates.sort((a, b) => b.bounded - a.bounded)[0];
    });
    if (plans.every((plan): plan is IndexPlan => plan !== undefined))
      return { kind: 'union', plans, exact: false, sorted: false };
  }
  return undefined;
}

/** The plan with one index, or undefined when the index lacks documents that could match. */
function planFor(index: Index, query: Query, forced = false): IndexPlan | undefined {
  const { filter } = query;
  if (!forced && !holdsAllMatches(index, filter)) return undefined;
  const used = new Set<PathCondition>();
  let exact = filter.conditionsAreAll && !index.inexact && index.multikey.every((isArray) => !isArray);
  let prefixes: Buffer[] = [Buffer.alloc(0)];
  let segments: Segment[] | undefined;
  let bounded = 0;
  let pinned = 0;
  let points = 0;
  let multikeyUsed = false;
  for (const [at, field] of index.fields.entries()) {
    // Two conditions on arrays may hold for different elements: only one of them can be a bound.
    if (index.multikey[at] && multikeyUsed) break;
    const found = boundsOf(field.path, filter.conditions, index.multikey[at] === true, index.inexact);
    if (!found) break;
    multikeyUsed ||= index.multikey[at] === true;
    bounded += 1;
    for (const condition of found.used) used.add(condition);
    if (!found.exact) exact = false;
    const ranges = field.direction === 1 ? found.ranges : found.ranges.map(mirrored).reverse();
    const allPoints = ranges.every(({ point }) => point !== undefined);
    if (allPoints && prefixes.length * ranges.length <= MAX_PREFIXES) {
      prefixes = prefixes.flatMap((prefix) => ranges.map(({ point }) => Buffer.concat([prefix, point as Buffer])));
      points = at + 1;
      if (prefixes.length === 1) pinned = points;
      continue;
    }
    segments = prefixes.flatMap((prefix) => ranges.map((range) => segmentOf(index, prefix, range)));
    break;
  }
  segments ??= prefixes.map((prefix) => {
    const start = prefix.length === 0 ? idPrefix(index.id) : capped(index, prefix);
    return { start, end: successor(start), fixed: start.length };
  });
  if (segments.some(({ start }) => start.length >= 4 + MAX_VALUE_BYTES)) exact = false;
  const rest = filter.conditions.filter((condition) => !used.has(condition));
  if (rest.some((condition) => !index.partial?.conditions.some((other) => sameCondition(condition, other))))
    exact = false;
  const order = sortOrder(index, query.sort, points, pinned, prefixes.length > 1);
  return {
    kind: 'index',
    index,
    segments,
    exact,
    bounded,
    sorted: order !== undefined,
    reverse: order?.reverse ?? false,
    merge: order?.merge ?? false,
    repeats: index.multikey.some((isArray) => isArray),
  };
}

function segmentOf(index: Index, prefix: Buffer, range: Interval): Segment {
  const start = capped(index, Buffer.concat([prefix, range.low]));
  const high = Buffer.concat([prefix, range.high]);
  const end = capped(index, high);
  return { start, end: high.length > MAX_VALUE_BYTES ? successor(end) : end, fixed: 4 + prefix.length };
}

const capped = (index: Index, bytes: Buffer): Buffer => bound(index.id, bytes.subarray(0, MAX_VALUE_BYTES));

function boundsOf(path: string, conditions: readonly PathCondition[], multikey: boolean, inexact: boolean) {
  let ranges: Interval[] | undefined;
  let exact = true;
  const used: PathCondition[] = [];
  for (const condition of conditions) {
    if (condition.path !== path) continue;
    const found = intervalsOf(condition, inexact);
    if (!found) continue;
    if (ranges !== undefined && multikey) {
      // Of conditions on an array, the one with the narrowest kind of range.
      if (!found.ranges.every(({ point }) => point) || ranges.every(({ point }) => point)) continue;
      ranges = found.ranges;
      used.length = 0;
    } else ranges = ranges === undefined ? found.ranges : intersect(ranges, found.ranges);
    used.push(condition);
    if (!found.exact) exact = false;
  }
  return ranges === undefined ? undefined : { ranges, exact, used };
}

/** Whether the index gives the documents in the order of the sort, and how it has to be read for that. */
function sortOrder(index: Index, sort: readonly SortField[], points: number, pinned: number, merge: boolean) {
  if (sort.length === 0) return { reverse: false, merge: false };
  if (index.inexact) return undefined;
  // Behind several point prefixes the order continues within each of them: they are merged.
  let at = points;
  let reverse: boolean | undefined;
  for (const { path, direction } of sort) {
    const position = index.fields.findIndex((field) => field.path === path);
    if (position >= 0 && position < pinned && !index.multikey[position]) continue; // all the same value
    const field = index.fields[at];
    if (field?.path !== path || index.multikey[at]) return undefined;
    const opposite = field.direction !== direction;
    if (reverse !== undefined && reverse !== opposite) return undefined;
    reverse = opposite;
    at += 1;
  }
  return { reverse: reverse ?? false, merge };
}

/** Whether every document that matches the filter is in the index, for a sparse or partial one. */
function holdsAllMatches(index: Index, filter: Filter): boolean {
  if (index.sparse) {
    const demanded = filter.conditions.some(
      (condition) => index.fields.some(({ path }) => path === condition.path) && excludesMissing(condition),
    );
    if (!demanded) return false;
  }
  if (!index.partial) return true;
  return (
    index.partial.conditionsAreAll &&
    index.partial.conditions.every((needed) => filter.conditions.some((given) => implies(given, needed)))
  );
}

function excludesMissing({ operator, operand }: PathCondition): boolean {
  if (operator === '$in') return !(operand as unknown[]).includes(null);
  return operand !== null;
}

function implies(given: PathCondition, needed: PathCondition): boolean {
  if (given.path !== needed.path) return false;
  if (sameCondition(given, needed)) return true;
  if (needed.operator === '$exists') return excludesMissing(given);
  const values =
    given.operator === '$eq' ? [given.operand] : given.operator === '$in' ? (given.operand as unknown[]) : undefined;
  if (!values || values.some(Array.isArray)) return false;
  const test = compileFilter({ value: { [needed.operator]: needed.operand } });
  return values.every((value) => test.test({ value }));
}

const sameCondition = (a: PathCondition, b: PathCondition): boolean =>
  a.path === b.path && a.operator === b.operator && equalValues(a.operand, b.operand);
