import type { ClickHouseClient } from '@clickhouse/client';

const PER_INSERT = 1_000_000;
const LINKS_MAX = 10_000;
const SOURCES = 50;
/** Concurrent inserts; each keeps one core busy. */
const CONCURRENCY = 2;
const MAX_QUERY_BYTES = 16 * 1024 * 1024;

const YEAR_SECONDS = 365 * 86_400;

/** Visitors in a year. */
const VISITORS = 5_000_000;

/**
 * Inserts clicks of an account. They are spread over the past year, up to 10,000 links and 50 sources, with a few links
 * and sources having most of them. ClickHouse generates the rows, one part of the year per insert.
 */
export async function loadClicks(client: ClickHouseClient, accountId: string, linkIds: string[], count: number) {
  const links = linkIds.slice(0, LINKS_MAX);
  const idList = links.map((id) => `'${id}'`).join(',');
  const inserts = Math.ceil(count / PER_INSERT);
  const slice = Math.ceil(YEAR_SECONDS / inserts);
  const insert = (index: number) =>
    client.command({
      query: `
        INSERT INTO clicks
          (batch, id, account_id, link_id, clicked_at, verdict, source, device, country, browser, os, referrer, visitor)
        WITH [${idList}] AS links
        SELECT ${Date.now() * 1_000 + index}, generateUUIDv4(), '${accountId}',
          links[1 + toUInt32(pow(rand(1) / 4294967296, 3) * ${links.length})],
          now64(3, 'UTC') - toIntervalSecond(${index * slice} + rand(2) % ${slice}),
          'counted',
          concat('source-', toString(toUInt32(pow(rand(3) / 4294967296, 3) * ${SOURCES}))),
          ['desktop', 'mobile', 'mobile', 'tablet', 'other'][1 + rand(4) % 5],
          ['US', 'DE', 'IN', 'BR', 'GB', 'FR', 'JP', 'NG', 'MX', ''][1 + toUInt32(pow(rand(5) / 4294967296, 2) * 10)],
          ['Chrome', 'Safari', 'Firefox', 'Microsoft Edge'][1 + rand(6) % 4],
          ['Windows', 'iOS', 'Android', 'macOS'][1 + rand(7) % 4],
          concat('www.site-', toString(toUInt32(pow(rand(8) / 4294967296, 3) * 200)), '.example'),
          cityHash64(rand(9) % ${VISITORS})
        FROM numbers(${Math.min(PER_INSERT, count - index * PER_INSERT)})`,
      clickhouse_settings: { max_query_size: String(MAX_QUERY_BYTES), insert_deduplicate: 0 },
    });
  let next = 0;
  await Promise.all(
    Array.from({ length: CONCURRENCY }, async () => {
      while (next < inserts) await insert(next++);
    }),
  );
}
