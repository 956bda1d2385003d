import type { Viewer } from '../hidden-sets/hidden-set.ts';

/** A query for clicks: the account and scope, the time window, the source, and the excluded links. */
export interface ClickQuery extends Viewer {
  /** Seconds since the epoch, ascending, multiples of 15 minutes. Day `i` is [boundaries[i], boundaries[i + 1]). */
  boundaries: readonly number[];
  /** Null for all sources. */
  source: string | null;
  /** Pass the same array for the same links if possible, because results are cached by array. */
  hiddenLinks: readonly string[];
}

/**
 * Returns the condition for rows of `clicks` that count, are of the account and the source, and lie in any of the
 * spans: [from, to) in seconds since the epoch.
 */
export function countedClicks({ source }: ClickQuery, spans: readonly (readonly [number, number])[]): string {
  const within = spans.map(
    ([from, to]) => `clicked_at >= toDateTime64(${from}, 3, 'UTC') AND clicked_at < toDateTime64(${to}, 3, 'UTC')`,
  );
  return `account_id = {account:String} AND verdict = 'counted' AND (${within.join(' OR ')})
    ${source === null ? '' : 'AND source = {source:String}'}`;
}
