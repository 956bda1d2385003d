import type { AnalyticsPart, CrossPart, TopBy } from '@waymark/contract';
import type { DimensionFilters } from '../database/projections.ts';

/** A span of time: [from, to) in seconds since the epoch, on quarters of an hour. */
export interface Span {
  from: number;
  to: number;
}

/** What an answer has apart from days and devices. */
export type FigurePart = AnalyticsPart | 'sources' | 'links';

/** Links with their hashtags, as the statement has them. */
export interface LinkHashtags {
  /** The ids of the links, comma-separated. Empty if there is none. */
  linkIds: string;
  /** For each link the numbers of its hashtags, counted from 1 and separated by spaces; comma-separated. */
  numbers: string;
  /** The hashtags, comma-separated. */
  names: string;
}

/** A question about the clicks of an account. */
export interface ClickQuery {
  accountId: string;
  /**
   * Starts and ends of the days, in seconds since the epoch, ascending: day `i` is [dayStarts[i], dayStarts[i + 1]). A
   * day that the zone skipped is empty.
   */
  dayStarts: readonly number[];
  /** Starts and ends of the hours, in the same way. Empty unless `hours` is asked for. */
  hourStarts: readonly number[];
  /** The window before; null unless `previous` is asked for. */
  previous: Span | null;
  /** What the top links are ordered by. `growth` and `decline` compare with the window before. */
  topBy: TopBy;
  parts: ReadonlySet<FigurePart>;
  /** The two parts of `cross`; null unless it is asked for. */
  cross: readonly [CrossPart, CrossPart] | null;
  /** The hashtags of the links, if `cross` names them; else null. */
  hashtags: LinkHashtags | null;
  filters: DimensionFilters;
  /** The only links whose clicks count; null for all links. */
  onlyLinks: readonly string[] | null;
  /** Links that the caller's key does not see; ignored with `onlyLinks`. */
  hiddenLinks: readonly string[];
}

/** Returns the window of a query. */
export function spanOf({ dayStarts }: ClickQuery): Span {
  return { from: dayStarts[0]!, to: dayStarts.at(-1)! };
}
