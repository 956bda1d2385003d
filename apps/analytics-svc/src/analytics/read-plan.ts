import { changesOf, type Hidden, type HiddenSet, READ_ONE_BY_ONE_MAX } from '../hidden-sets/hidden-set.ts';
import type { ClickQuery } from './click-query.ts';
import { cutsOf, type UtcDays, utcDaysOf } from './utc-days.ts';

/** The links to leave out. */
export interface LeftOut {
  /** Their numbers, as an array of ClickHouse's SQL. */
  list: string;
  /** The same links as `clicks_by_day` is read for them. */
  hidden: Hidden;
}

/** What is read for the figures: whole days of UTC from the rollup, the rest from the clicks. */
export interface ReadPlan {
  days: UtcDays;
  /** Null where no links are hidden. */
  leftOut: LeftOut | null;
  /** Where midnights of the zone cut the days, as {@link cutsOf} says. */
  cuts: number[][];
  /** The set whose sums are read, if any are. */
  set: HiddenSet | null;
}

/** Windows up to this many days leave many links out click by click: finding those links in the rollup would take longer. */
const FROM_CLICKS_MAX_DAYS = 2;

export function planOf({ boundaries }: ClickQuery, leftOut: LeftOut | null): ReadPlan {
  const [from, to] = [boundaries[0]!, boundaries.at(-1)!];
  const isShort = boundaries.length - 1 <= FROM_CLICKS_MAX_DAYS;
  const fromClicks = isShort && leftOut !== null && changesOf(leftOut.hidden) > READ_ONE_BY_ONE_MAX;
  const days: UtcDays = fromClicks ? { firstDay: 0, endDay: 0, edges: [[from, to]] } : utcDaysOf(from, to);
  const set = days.firstDay < days.endDay ? (leftOut?.hidden.set ?? null) : null;
  return { days, leftOut, cuts: cutsOf(boundaries, days), set };
}
