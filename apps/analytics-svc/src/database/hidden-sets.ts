/**
 * Sets of links whose clicks `clicks_by_day` has added up under the number of the set, in place of a link's, so that links
 * that are left out of what a scope of an account sees need not be read one by one. A set never changes while it is used.
 */
export const HIDDEN_SETS = `
  CREATE TABLE IF NOT EXISTS hidden_sets (
    account_id LowCardinality(String),
    scope LowCardinality(String),
    number UInt64,
    link UInt64,
    begun_at DateTime('UTC') DEFAULT now()
  ) ENGINE = MergeTree ORDER BY (account_id, scope, number, link)`;

/** The links that are in sets, each with the numbers of its sets: of the rows of `hidden_sets` that fulfil a condition. */
export function setsOfLinks(condition: string): string {
  return `SELECT link, groupUniqArray(number) AS sets FROM hidden_sets WHERE ${condition} GROUP BY link`;
}

/**
 * The day of the row of `clicks_by_day` that says that the sums of a set are complete, and how many links it has: in the column
 * `other`, from all sources. No window reaches it.
 */
export const COMPLETE_DAY = "toDate('2100-01-01')";
