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
 * What clicks of a table with the columns of `incoming_clicks` add to `clicks_by_day`: four rows for a counted click,
 * one for its batch's mark; the engine sums them before it writes the part.
 */
export function rowsByDay(clicks: string): string {
  return `
    SELECT
      if(row = 'mark', '', account_id::String) AS account_id,
      if(row IN ('source', 'link from source'), source::String, '') AS from_source,
      multiIf(row = 'mark', batch, row IN ('link', 'link from source'), cityHash64(link_id), 0) AS link,
      if(row = 'mark', toDate(received_at, 'UTC'), toDate(clicked_at, 'UTC')) AS day,
      toInt64(device = 'desktop' OR row = 'mark') AS desktop,
      toInt64(device = 'mobile') AS mobile,
      toInt64(device = 'tablet') AS tablet,
      toInt64(device = 'other') AS other,
      [toUInt8(intDiv(toUnixTimestamp(clicked_at) % 86400, 900))] AS \`quartersMap.quarter\`,
      [1::Int32] AS \`quartersMap.clicks\`,
      if(row = 'link', [cityHash64(source)], []) AS \`sourcesMap.source\`,
      if(row = 'link', [1::Int32], []) AS \`sourcesMap.clicks\`
    FROM ${clicks}
    ARRAY JOIN if(verdict = 'counted', ['mark', 'account', 'source', 'link', 'link from source'], ['mark']) AS row`;
}
