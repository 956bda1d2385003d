export const MARKS_OF_CLICKS_BY_DAY_TTL = "day + toIntervalDay(30) DELETE WHERE account_id = ''";

/**
 * Counted clicks of an account (link 0) and of each link (cityHash64 of its id), from all sources ('') and from each, by
 * day of UTC. A row has them by device, by quarter of an hour of its day (0 to 95), and, where it is a link's from all
 * sources, by source (cityHash64 of its name). The engine sums arrays in columns named …Map key by key.
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

/**
 * What clicks of a table with the columns of `incoming_clicks` add to `clicks_by_day`: rows of the account and the link, from
 * all sources and from the click's own, and the mark of the batch. Grouped by numbers, since by texts it takes twice as long.
 */
export function rowsByDay(clicks: string): string {
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
      SELECT row, device, quarter, source_number,
        if(row = 'mark', '', account_id) AS account,
        if(row = 'mark', 0, account_number) AS account_key,
        if(row IN ('source', 'link from source'), source, '') AS source_name,
        if(row IN ('source', 'link from source'), source_number, 0) AS source_key,
        multiIf(row = 'mark', batch, row IN ('link', 'link from source'), link_number, 0) AS link,
        if(row = 'mark', toDate(received_at, 'UTC'), toDate(clicked_at, 'UTC')) AS day
      FROM (
        SELECT batch, received_at, clicked_at, account_id, source, device,
          cityHash64(account_id) AS account_number, cityHash64(source) AS source_number, cityHash64(link_id) AS link_number,
          toUInt8(intDiv(toUnixTimestamp(clicked_at) % 86400, 900)) AS quarter,
          if(verdict = 'counted', ['mark', 'account', 'source', 'link', 'link from source'], ['mark']) AS rows
        FROM ${clicks}
      ) ARRAY JOIN rows AS row
    )
    GROUP BY account_key, source_key, link, day`;
}
