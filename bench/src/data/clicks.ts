import type { ClickHouseClient } from '@clickhouse/client';

const PER_INSERT = 1_000_000;
const LINKS_MAX = 10_000;
const SOURCES = 50;
const CAMPAIGNS = 200;
/** Concurrent inserts; each keeps one core busy. */
const CONCURRENCY = 2;
const MAX_QUERY_BYTES = 16 * 1024 * 1024;

const YEAR_SECONDS = 365 * 86_400;

/** Visitors in a year. */
const VISITORS = 5_000_000;

/**
 * Inserts clicks of an account. They are spread over the past year, up to 10,000 links and 50 sources, with a few links
 * and sources having most of them. A third have a campaign, and a tenth do not count. ClickHouse generates the rows, one part of the year per insert.
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
          (batch, id, account_id, link_id, clicked_at, verdict, source, device, country, browser, os, referrer, visitor,
           language, utm_campaign, utm_medium, utm_content, utm_term)
        WITH [${idList}] AS links, rand(10) % 3 = 0 AS tagged, toUInt32(pow(rand(11) / 4294967296, 3) * ${CAMPAIGNS}) AS campaign
        SELECT ${Date.now() * 1_000 + index}, generateUUIDv4(), '${accountId}',
          links[1 + toUInt32(pow(rand(1) / 4294967296, 3) * ${links.length})],
          now64(3, 'UTC') - toIntervalSecond(${index * slice} + rand(2) % ${slice}),
          if(rand(12) % 10 = 0, 'bot', 'counted'),
          concat('source-', toString(toUInt32(pow(rand(3) / 4294967296, 3) * ${SOURCES}))),
          ['desktop', 'mobile', 'mobile', 'tablet', 'other'][1 + rand(4) % 5],
          ['US', 'DE', 'IN', 'BR', 'GB', 'FR', 'JP', 'NG', 'MX', ''][1 + toUInt32(pow(rand(5) / 4294967296, 2) * 10)],
          ['Chrome', 'Safari', 'Firefox', 'Microsoft Edge'][1 + rand(6) % 4],
          ['Windows', 'iOS', 'Android', 'macOS'][1 + rand(7) % 4],
          concat('www.site-', toString(toUInt32(pow(rand(8) / 4294967296, 3) * 200)), '.example'),
          cityHash64(rand(9) % ${VISITORS}),
          ['en', 'de', 'hi', 'pt', 'fr', 'es', 'ja', 'zh', 'it', ''][1 + toUInt32(pow(rand(13) / 4294967296, 2) * 10)],
          if(tagged, concat('campaign-', toString(campaign)), ''),
          if(tagged, ['email', 'social', 'cpc'][1 + campaign % 3], ''),
          if(tagged, concat('ad-', toString(campaign), '-', toString(rand(14) % 4)), ''),
          if(tagged AND campaign % 3 = 2, concat('term-', toString(rand(15) % 500)), '')
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
