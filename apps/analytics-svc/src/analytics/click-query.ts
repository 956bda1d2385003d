/** What is asked: whose clicks, from when to when, from which source, and without which links. */
export interface ClickQuery {
  accountId: string;
  /** Seconds since the epoch; day `i` is [boundaries[i], boundaries[i + 1]). Ascending, on quarters of an hour. */
  boundaries: readonly number[];
  /** All sources where null. */
  source: string | null;
  hiddenLinks: readonly string[];
}

/** The condition for rows of `clicks` that count, of the account, the source and [from, to) in seconds since the epoch. */
export function countedClicks({ source }: ClickQuery, [from, to]: readonly [number, number]): string {
  return `account_id = {account:String} AND verdict = 'counted'
    AND clicked_at >= toDateTime64(${from}, 3, 'UTC') AND clicked_at < toDateTime64(${to}, 3, 'UTC')
    ${source === null ? '' : 'AND source = {source:String}'}`;
}
