import type { Viewer } from '../hidden-sets/hidden-set.ts';

/** What is asked: whose clicks, from when to when, from which source, and without which links. */
export interface ClickQuery extends Viewer {
  /** Seconds since the epoch; day `i` is [boundaries[i], boundaries[i + 1]). Ascending, on quarters of an hour. */
  boundaries: readonly number[];
  /** All sources where null. */
  source: string | null;
  /** The same array for the same links, where it can be: what is known of it is kept. */
  hiddenLinks: readonly string[];
}

/**
 * The condition for rows of `clicks` that count, of the account and the source, in any of the spans: [from, to) in seconds since
 * the epoch.
 */
export function countedClicks({ source }: ClickQuery, spans: readonly (readonly [number, number])[]): string {
  const within = spans.map(
    ([from, to]) => `clicked_at >= toDateTime64(${from}, 3, 'UTC') AND clicked_at < toDateTime64(${to}, 3, 'UTC')`,
  );
  return `account_id = {account:String} AND verdict = 'counted' AND (${within.join(' OR ')})
    ${source === null ? '' : 'AND source = {source:String}'}`;
}
