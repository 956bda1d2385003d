import type { ClickHouseClient } from '@clickhouse/client';

const PER_INSERT = 1_000_000;
const LINKS_MAX = 10_000;
const SOURCES = 50;
const MAX_QUERY_BYTES = 16 * 1024 * 1024;

/**
 * Writes clicks of an account into the table that all rollups are made from: spread over the year before now, over up to
 * 10,000 of the links and 50 sources, few of which have most. Made by ClickHouse itself.
 */
export async function loadClicks(client: ClickHouseClient, accountId: string, linkIds: string[], count: number) {
  const links = linkIds.slice(0, LINKS_MAX);
  const idList = links.map((id) => `'${id}'`).join(',');
  for (let from = 0; from < count; from += PER_INSERT) {
    await client.command({
      query: `
        INSERT INTO incoming_clicks
          (batch, only, received_at, id, account_id, link_id, clicked_at, source, device, verdict)
        WITH [${idList}] AS links
        SELECT ${Date.now() * 1_000 + from / PER_INSERT}, '', now(), generateUUIDv4(), '${accountId}',
          links[1 + toUInt32(pow(rand(1) / 4294967296, 3) * ${links.length})],
          now64(3, 'UTC') - toIntervalSecond(rand(2) % (365 * 86400)),
          concat('source-', toString(toUInt32(pow(rand(3) / 4294967296, 3) * ${SOURCES}))),
          ['desktop', 'mobile', 'mobile', 'tablet', 'other'][1 + rand(4) % 5],
          'counted'
        FROM numbers(${Math.min(PER_INSERT, count - from)})`,
      clickhouse_settings: { max_query_size: String(MAX_QUERY_BYTES), insert_deduplicate: 0 },
    });
  }
}
