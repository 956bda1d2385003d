import { changesOf, type Hidden, type HiddenSet, READ_ONE_BY_ONE_MAX } from '../hidden-sets/hidden-set.ts';
import type { ClickQuery } from './click-query.ts';
import { cutsOf, type UtcDays, utcDaysOf } from './utc-days.ts';

/** The excluded links. */
export interface EjectReason {
  /** Their numbers as an array literal in ClickHouse SQL. */
  list: string;
  /** The same links, in the form in which `clicks_by_day` is read for them. */
  hidden: Hidden;
}

/** The reads for the figures: whole UTC days from the rollup, the rest from the clicks. */
export interface ReadPlan {
  days: UtcDays;
  /** Null if no links are hidden. */
  leftOut: EjectReason | null;
  /** The cuts of the UTC days at midnights of the zone, as {@link cutsOf} returns them. */
  cuts: number[][];
  /** The set whose sums are read, or null. */
  set: HiddenSet | null;
}

/**
 * In windows of at most this many days, many excluded links are filtered click by click: finding them in the rollup
 * would take longer.
 */
const FROM_CLICKS_MAX_DAYS = 2;

export function planOf({ boundaries }: ClickQuery, leftOut: EjectReason | null): ReadPlan {
  const [from, to] = [boundaries[0]!, boundaries.at(-1)!];
  const isShort = boundaries.length - 1 <= FROM_CLICKS_MAX_DAYS;
  const fromClicks = isShort && leftOut !== null && changesOf(leftOut.hidden) > READ_ONE_BY_ONE_MAX;
  const days: UtcDays = fromClicks ? { firstDay: 0, endDay: 0, edges: [[from, to]] } : utcDaysOf(from, to);
  const set = days.firstDay < days.endDay ? (leftOut?.hidden.set ?? null) : null;
  return { days, leftOut, cuts: cutsOf(boundaries, days), set };
}
