/**
 * Sets of links that are excluded for one scope of an account (ADR 25). `clicks_by_day` has the summed clicks of a set
 * under its number, as it has those of a link, so that the links need not be read one by one. A set never changes while
 * it is used.
 */
export const HIDDEN_SETS = `
  CREATE TABLE IF NOT EXISTS hidden_sets (
    account_id LowCardinality(String),
    scope LowCardinality(String),
    number UInt64,
    link UInt64,
    begun_at DateTime('UTC') DEFAULT now()
  ) ENGINE = MergeTree ORDER BY (account_id, scope, number, link)`;

/**
 * Returns a query for the links that are in sets, each with the numbers of its sets. The condition selects rows of
 * `hidden_sets`.
 */
export function setsOfLinks(condition: string): string {
  return `SELECT link, groupUniqArray(number) AS sets FROM hidden_sets WHERE ${condition} GROUP BY link`;
}

/**
 * The day of the mark of a set in `clicks_by_day`. The mark says that the sums of the set are complete. It is for all
 * sources, and its column `other` has the number of links in the set. No window reaches this day.
 */
export const COMPLETE_DAY = "toDate('2100-01-01')";
