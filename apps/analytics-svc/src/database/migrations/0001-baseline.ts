import { createTable } from '../tables.ts';
import type { Migration } from './migration.ts';

const INSERTED_COLUMNS = `batch UInt64, id UUID, account_id LowCardinality(String), link_id LowCardinality(String),
  clicked_at DateTime64(3, 'UTC'),
  verdict Enum8('counted' = 0, 'prefetch' = 1, 'empty_user_agent' = 2, 'preview' = 3, 'library' = 4, 'bot' = 5),
  source LowCardinality(String), referrer LowCardinality(String),
  device Enum8('desktop' = 1, 'mobile' = 2, 'tablet' = 3, 'other' = 4), browser LowCardinality(String),
  os LowCardinality(String), country LowCardinality(String), visitor UInt64, host LowCardinality(String)`;

const sums = (name: string, keys: string) => `PROJECTION ${name} (SELECT ${keys}, count() GROUP BY ${keys})`;

// `clicks_by_link` has the clicks once more in the order of links, for questions about one link and about hidden links. It has
// `counted` instead of `verdict`, so only conditions with `counted` can read it. Otherwise ClickHouse would sometimes
// scan it instead of the table for all clicks, which takes twice as long: neighbouring clicks of a link are of many days.
const PROJECTIONS = [
  `PROJECTION clicks_by_link (SELECT account_id, link, quarter, counted, source, device, country, browser, os, host,
    referrer, visitor ORDER BY account_id, link, quarter)`,
  sums('by_device', 'account_id, verdict, device, quarter'),
  sums('by_source', 'account_id, verdict, source, quarter'),
  sums('by_country', 'account_id, verdict, country, quarter'),
  sums('by_browser', 'account_id, verdict, browser, quarter'),
  sums('by_os', 'account_id, verdict, os, quarter'),
  sums('by_host', 'account_id, verdict, host, quarter'),
  sums('by_source_device', 'account_id, verdict, source, device, quarter'),
  sums('links_by_day', 'account_id, verdict, toDate(quarter), link'),
  sums('links_by_source_and_day', 'account_id, verdict, source, toDate(quarter), link'),
  `PROJECTION link_totals (SELECT link, account_id, verdict, toYYYYMM(stored_at), any(link_id), count(), max(clicked_at)
    GROUP BY link, account_id, verdict, toYYYYMM(stored_at))`,
];

/** An insert that was withdrawn before it began fails here, however late it arrives. */
export const NOT_WITHDRAWN =
  "throwIf(getSetting('log_comment') IN (SELECT name FROM withdrawn_inserts), 'This insert was withdrawn') = 0";

/**
 * Creates the tables of 0.1.0.
 *
 * `clicks` has a row for each click, counted or not. All that is known about clicks comes from this table, so a batch
 * that is stored by one insert of one block is there wholly or not at all (ADR 34). It is not partitioned, because a
 * part of each partition is read for every hidden link. `referrer`, `country` and `visitor` are empty or 0 if unknown.
 * `host` is the short host of the link at the click, empty for the default host.
 *
 * Questions read `quarter`, the quarter of an hour of the click, and never `clicked_at`. Days and hours begin on
 * quarters in every zone, and in the order of the table the column takes hardly any space and time to read. Sparse
 * columns are off, because `verdict` would be one and slow down every filter.
 *
 * Conditions on links use `counted`, because `clicks_by_link` has it instead of `verdict`.
 *
 * `removed_clicks` keeps the totals of links after their clicks were removed for their age. Of several rows the one with
 * the most clicks stays, because a later one may be written when some clicks are gone already.
 */
export const baseline: Migration = {
  number: 1,
  name: 'baseline',
  statements(topology) {
    const clicks = {
      columns: `${INSERTED_COLUMNS},
      quarter DateTime('UTC') DEFAULT toStartOfFifteenMinutes(clicked_at),
      stored_at DateTime('UTC') DEFAULT now(),
      link UInt64 DEFAULT cityHash64(link_id),
      counted Bool DEFAULT verdict = 'counted',
      ${PROJECTIONS.join(', ')}`,
      engine: `MergeTree ORDER BY (account_id, quarter)
      SETTINGS lightweight_mutation_projection_mode = 'rebuild', ratio_of_defaults_for_sparse_serialization = 1`,
      shardBy: 'cityHash64(account_id)',
    };
    const removedClicks = {
      columns: `month UInt32, link UInt64, account_id LowCardinality(String), link_id String, clicks UInt64,
      last_clicked_at DateTime64(3, 'UTC')`,
      engine: 'ReplacingMergeTree(clicks) ORDER BY (link, account_id, month)',
      shardBy: 'cityHash64(account_id)',
    };
    const statements = [
      ...createTable('clicks', clicks, topology),
      ...createTable('removed_clicks', removedClicks, topology),
    ];
    if (topology.kind !== 'single') return statements;
    return [
      ...statements,
      // Inserts (by `log_comment`) that were given up. It is unknown whether they arrived.
      `CREATE TABLE IF NOT EXISTS withdrawn_inserts (
      token String, name String, withdrawn_at DateTime('UTC') DEFAULT now()
    ) ENGINE = MergeTree ORDER BY token TTL withdrawn_at + toIntervalDay(1)`,
      `CREATE TABLE IF NOT EXISTS incoming_clicks (${INSERTED_COLUMNS}) ENGINE = Null`,
      `CREATE MATERIALIZED VIEW IF NOT EXISTS incoming_to_clicks TO clicks
     AS SELECT batch, id, account_id, link_id, clicked_at, verdict, source, referrer, device, browser, os, country, visitor,
       host
     FROM incoming_clicks WHERE ${NOT_WITHDRAWN}`,
    ];
  },
};
