import { decodeFields } from '../bson/bson.ts';
import { compareValues } from '../bson/compare.ts';
import { type Document, isNumeric } from '../bson/values.ts';
import { CommandError, notSupported } from '../errors.ts';
import { toNumber } from '../numbers.ts';
import { type Execution, PAUSE } from './execution.ts';
import type { SortField } from './sort.ts';

/** Documents grouped by the elements of an array: `$unwind`, `$group`, and `$sort` and `$limit` of the groups. */
export interface Grouping {
  /** The array. Its elements must be strings. */
  array: string;
  /** The fields of a group besides `_id`. `of` is the field that is added up. Without it, documents are counted. */
  sums: { name: string; of?: string }[];
  sort: readonly SortField[];
  /** 0 for no limit. */
  limit: number;
}

/** The groups that were found: for each element its position in the columns, one for each sum. */
interface Groups {
  positions: Map<string, number>;
  columns: number[][];
}

/** An element and its position in the columns. */
type Group = readonly [element: string, position: number];

/** The maximum memory of the groups, about. MongoDB would write more than 100 MiB to its disk. */
const MAX_GROUP_BYTES = 256 * 1024 * 1024;
/** The memory of a group besides its text, about. */
const GROUP_BYTES = 80;
const GROUPS_BETWEEN_LOOKS = 1000;

/**
 * Yields the groups of what an execution finds, in order, and pauses in between. Throws code 292 if they need too much
 * memory.
 */
export function* groupsOf(execution: Execution, grouping: Grouping): Generator<Document | typeof PAUSE> {
  const { limit, sums } = grouping;
  const groups = yield* collect(execution, grouping);
  const order = orderOf(grouping, groups);
  const most = limit === 0 ? Number.POSITIVE_INFINITY : limit;
  let best: Group[] = [];
  /** The last of the best, once there are as many as the limit allows. */
  let last: Group | undefined;
  let seen = 0;
  for (const group of groups.positions) {
    seen += 1;
    if (seen % GROUPS_BETWEEN_LOOKS === 0) yield* execution.pauseIfDue();
    if (last && order(group, last) >= 0) continue;
    best.push(group);
    if (best.length < most * 2) continue;
    best = best.sort(order).slice(0, most);
    last = best.at(-1);
  }
  for (const [_id, position] of best.sort(order).slice(0, most))
    yield { _id, ...Object.fromEntries(sums.map(({ name }, at) => [name, groups.columns[at]![position]])) };
}

function* collect(execution: Execution, { array, sums }: Grouping): Generator<typeof PAUSE, Groups> {
  const fields = new Set([array, ...sums.flatMap(({ of }) => of ?? [])]);
  const positions = new Map<string, number>();
  const columns: number[][] = sums.map(() => []);
  let bytes = 0;
  for (const match of execution.matches()) {
    if (match === PAUSE) {
      yield PAUSE;
      continue;
    }
    const document = decodeFields(match.bytes, fields);
    const amounts = sums.map(({ of }) => (of === undefined ? 1 : amountOf(document[of])));
    for (const element of elementsOf(document[array])) {
      let position = positions.get(element);
      if (position === undefined) {
        position = positions.size;
        positions.set(element, position);
        bytes += element.length + GROUP_BYTES;
        if (bytes > MAX_GROUP_BYTES)
          throw new CommandError(292, `Exceeded memory limit for $group of ${MAX_GROUP_BYTES} bytes`);
      }
      for (const [at, column] of columns.entries()) column[position] = (column[position] ?? 0) + amounts[at]!;
    }
  }
  return { positions, columns };
}

/** Returns what `$unwind` makes of a value: a value that is no array is one element, a missing one or null is none. */
function elementsOf(value: unknown): readonly string[] {
  const elements = Array.isArray(value) ? value : [value ?? []].flat();
  if (!elements.every((element) => typeof element === 'string')) throw notSupported('a $group by other than strings');
  return elements;
}

/** Returns what `$sum` adds: nothing for a value that is no number. */
function amountOf(value: unknown): number {
  return isNumeric(value) ? toNumber(value) : 0;
}

/** Returns the order of the groups. */
function orderOf({ sort, sums }: Grouping, { columns }: Groups): (a: Group, b: Group) => number {
  const fields = sort.map(({ path, direction }) => ({
    column: columns[sums.findIndex(({ name }) => name === path)],
    direction,
  }));
  return (a, b) => {
    for (const { column, direction } of fields) {
      const difference = column ? column[a[1]]! - column[b[1]]! : compareValues(a[0], b[0]);
      if (difference !== 0) return difference * direction;
    }
    return 0;
  };
}
