export const MARKS_OF_CLICKS_BY_DAY_TTL = "day + toIntervalDay(30) DELETE WHERE account_id = ''";

/**
 * Counted clicks by UTC day: of an account (link 0) and of each link (cityHash64 of its id), from all sources ('') and
 * from each. A row has the clicks by device and by quarter hour of the day (0 to 95). A link's row for all sources also
 * has them by source (cityHash64 of its name). The engine sums arrays in columns named …Map key by key.
 */
export const CLICKS_BY_DAY = `
  CREATE TABLE IF NOT EXISTS clicks_by_day (
    account_id LowCardinality(String),
    from_source LowCardinality(String),
    link UInt64,
    day Date,
    desktop Int64,
    mobile Int64,
    tablet Int64,
    other Int64,
    \`quartersMap.quarter\` Array(UInt8),
    \`quartersMap.clicks\` Array(Int32),
    \`sourcesMap.source\` Array(UInt64),
    \`sourcesMap.clicks\` Array(Int32)
  ) ENGINE = SummingMergeTree ORDER BY (account_id, from_source, link, day)
  TTL ${MARKS_OF_CLICKS_BY_DAY_TTL}
  SETTINGS index_granularity = 128, non_replicated_deduplication_window = 1000`;

/** An empty array of set numbers in ClickHouse SQL. */
const NO_SETS = '[]::Array(UInt64)';

/**
 * Returns the SELECT of what clicks add to `clicks_by_day`. `clicks` is a table with the columns of `incoming_clicks`;
 * `hiddenSets` is the array of the numbers of the sets that the link is in. The rows are of the account, of these sets
 * and of the link, each for all sources and for the source of the click, and the mark of the batch. They are grouped by
 * numbers, which is twice as fast as by texts.
 */
export function rowsByDay(clicks: string, hiddenSets = NO_SETS): string {
  return `
    SELECT any(account) AS account_id, any(source_name) AS from_source, link, day,
      countIf(device = 'desktop' OR row = 'mark') AS desktop,
      countIf(device = 'mobile') AS mobile,
      countIf(device = 'tablet') AS tablet,
      countIf(device = 'other') AS other,
      groupArray(quarter) AS \`quartersMap.quarter\`,
      arrayWithConstant(length(\`quartersMap.quarter\`), 1::Int32) AS \`quartersMap.clicks\`,
      groupArrayIf(source_number, row = 'link') AS \`sourcesMap.source\`,
      arrayWithConstant(length(\`sourcesMap.source\`), 1::Int32) AS \`sourcesMap.clicks\`
    FROM (
      SELECT row, link, device, quarter, source_number,
        if(row = 'mark', '', account_id) AS account,
        if(row = 'mark', 0, account_number) AS account_key,
        if(row IN ('sum from source', 'link from source'), source, '') AS source_name,
        if(row IN ('sum from source', 'link from source'), source_number, 0) AS source_key,
        if(row = 'mark', toDate(received_at, 'UTC'), toDate(clicked_at, 'UTC')) AS day
      FROM (
        SELECT received_at, clicked_at, account_id, source, device,
          cityHash64(account_id) AS account_number, cityHash64(source) AS source_number, cityHash64(link_id) AS link_number,
          toUInt8(intDiv(toUnixTimestamp(clicked_at) % 86400, 900)) AS quarter,
          arrayConcat([0::UInt64], ${hiddenSets}) AS sums,
          if(verdict = 'counted', arrayConcat(['mark', 'link', 'link from source'],
            arrayWithConstant(length(sums), 'sum'), arrayWithConstant(length(sums), 'sum from source')), ['mark']) AS rows,
          if(verdict = 'counted', arrayConcat([batch, link_number, link_number], sums, sums), [batch]) AS links
        FROM ${clicks}
      ) ARRAY JOIN rows AS row, links AS link
    )
    GROUP BY account_key, source_key, link, day`;
}
