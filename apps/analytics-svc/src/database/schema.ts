import { NOT_COUNTED_REASONS } from '../clicks/click.ts';
import { CLICKS_BY_DAY, MARKS_OF_CLICKS_BY_DAY_TTL, rowsByDay } from './clicks-by-day.ts';
import type { Database } from './database.ts';
import { HIDDEN_SETS, setsOfLinks } from './hidden-sets.ts';
import { replaceClicksByQuarter } from './replace-clicks-by-quarter.ts';

const DEVICE = "Enum8('desktop' = 1, 'mobile' = 2, 'tablet' = 3, 'other' = 4)";
const VERDICT = `Enum8(${['counted', ...NOT_COUNTED_REASONS].map((name, index) => `'${name}' = ${index}`).join(', ')})`;

/** The tables that a batch of clicks is stored in. Each has the whole batch or nothing of it. */
export const CLICK_TABLES = ['clicks', 'clicks_by_day', 'links_by_day', 'link_totals'] as const;
export type ClickTable = (typeof CLICK_TABLES)[number];

/**
 * The rows that each view writes into its table for a batch. A rollup has no single clicks to look for, so the batch
 * has a row of its own there: its mark. The mark is written in the same block as the rest, so it exists exactly if the
 * whole batch does. Marks have no account, so nothing else reads them.
 */
const VIEWS: Record<ClickTable, string> = {
  clicks: `
    SELECT received_at, account_id, clicked_at, id, link_id, source, device, verdict, batch FROM incoming_clicks
    WHERE {only}`,
  clicks_by_day: rowsByDay('incoming_clicks WHERE {only}'),
  links_by_day: `
    SELECT row.1 AS account_id, row.2 AS from_source, row.3 AS day, row.4 AS link, count() AS clicks
    FROM (
      SELECT arrayJoin(arrayConcat(
        [('', '', toDate(received_at, 'UTC'), batch)],
        arrayMap(from_source -> (account_id::String, from_source, toDate(clicked_at, 'UTC'), cityHash64(link_id)),
          if(verdict = 'counted', ['', source::String], [])))) AS row
      FROM incoming_clicks WHERE {only}
    )
    GROUP BY ALL`,
  link_totals: `
    SELECT row.1 AS account_id, row.2 AS link, row.3 AS link_id, count() AS clicks, max(row.4) AS last_clicked_at
    FROM (
      SELECT arrayJoin(arrayConcat(
        [('', batch, '', toDateTime64(received_at, 3, 'UTC'))],
        if(verdict = 'counted', [(account_id::String, cityHash64(link_id), link_id::String, clicked_at)], []))) AS row
      FROM incoming_clicks WHERE {only}
    )
    GROUP BY account_id, link, link_id`,
};

/** Returns what a view adds for the rows of `incoming_clicks` that are for its table and meet a further condition. */
function selectFor(table: ClickTable, condition = '1'): string {
  const rows = `only IN ('', '${table}') AND ${condition}`;
  return VIEWS[table].replace('{only}', rows);
}

function view(table: ClickTable, condition?: string): string {
  return `CREATE MATERIALIZED VIEW IF NOT EXISTS incoming_to_${table} TO ${table} AS ${selectFor(table, condition)}`;
}

/** A condition that makes an insert fail if it was withdrawn before it began, however late it arrives. */
const NOT_WITHDRAWN =
  "throwIf(getSetting('log_comment') IN (SELECT name FROM withdrawn_inserts), 'This insert was withdrawn') = 0";

/** Like the view of `clicks_by_day`, but also adds each click to the hidden sets that its link is in at that moment. */
const ROWS_WITH_HIDDEN_SETS = rowsByDay(
  `incoming_clicks LEFT JOIN (${setsOfLinks('account_id IN (SELECT account_id FROM incoming_clicks)')}) AS in_sets
   ON in_sets.link = cityHash64(link_id)
   WHERE only IN ('', 'clicks_by_day') AND ${NOT_WITHDRAWN}`,
  'in_sets.sets',
);

/** When marks are deleted. A batch that may already be stored is sent again within this time. */
export const MARKS_TTL = {
  clicks_by_day: MARKS_OF_CLICKS_BY_DAY_TTL,
  links_by_day: "day + toIntervalDay(30) DELETE WHERE account_id = ''",
  link_totals: "toDateTime(last_clicked_at) + toIntervalDay(30) DELETE WHERE account_id = ''",
};

/** One step of the schema. Everything in it may run twice, also concurrently with another replica. */
export interface Migration {
  version: number;
  statements: string[];
  /** Fills new tables from existing data, and drops the tables that it replaces. */
  fill?: (database: Database) => Promise<void>;
}

/** The history of the schema. A released step never changes; add a new one instead. */
export const MIGRATIONS: Migration[] = [
  {
    version: 1,
    statements: [
      // Rows are stored only in the tables of the views. `only` names the one table to write; empty means all.
      `CREATE TABLE IF NOT EXISTS incoming_clicks (
        batch UInt64,
        only LowCardinality(String),
        received_at DateTime('UTC'),
        id UUID,
        account_id LowCardinality(String),
        link_id String,
        clicked_at DateTime64(3, 'UTC'),
        source LowCardinality(String),
        device ${DEVICE},
        verdict ${VERDICT}
      ) ENGINE = Null`,
      // Partitioned by month of arrival: a batch is in one partition and one part, whatever the times of its clicks.
      `CREATE TABLE IF NOT EXISTS clicks (
        received_at DateTime('UTC'),
        account_id LowCardinality(String),
        clicked_at DateTime64(3, 'UTC'),
        id UUID,
        link_id LowCardinality(String),
        source LowCardinality(String),
        device ${DEVICE},
        verdict ${VERDICT},
        batch UInt64
      ) ENGINE = MergeTree PARTITION BY toYYYYMM(received_at) ORDER BY (account_id, clicked_at)
      SETTINGS ttl_only_drop_parts = 1`,
      // Counted clicks of an account (link 0) and of each link (cityHash64 of its id), by quarter hour.
      `CREATE TABLE IF NOT EXISTS clicks_by_quarter (
        account_id LowCardinality(String),
        link UInt64,
        quarter DateTime('UTC'),
        source LowCardinality(String),
        device ${DEVICE},
        clicks Int64
      ) ENGINE = SummingMergeTree(clicks) ORDER BY (account_id, link, quarter, source, device)
      TTL quarter + toIntervalDay(30) DELETE WHERE account_id = ''
      SETTINGS index_granularity = 1024, non_replicated_deduplication_window = 1000`,
      // Counted clicks of each link by UTC day, from all sources ('') and from each.
      `CREATE TABLE IF NOT EXISTS links_by_day (
        account_id LowCardinality(String),
        from_source LowCardinality(String),
        day Date,
        link UInt64,
        clicks Int64
      ) ENGINE = SummingMergeTree(clicks) ORDER BY (account_id, from_source, day, link)
      TTL ${MARKS_TTL.links_by_day}`,
      // Total counted clicks of each link, and the id for its number. Both stay until the link is deleted.
      `CREATE TABLE IF NOT EXISTS link_totals (
        link UInt64,
        account_id LowCardinality(String),
        link_id String,
        clicks SimpleAggregateFunction(sum, Int64),
        last_clicked_at SimpleAggregateFunction(max, DateTime64(3, 'UTC'))
      ) ENGINE = AggregatingMergeTree ORDER BY (link, account_id, link_id)
      TTL ${MARKS_TTL.link_totals}`,
      view('clicks'),
      `CREATE MATERIALIZED VIEW IF NOT EXISTS incoming_to_clicks_by_quarter TO clicks_by_quarter AS
    SELECT row.1 AS account_id, row.2 AS link, row.3 AS quarter, row.4 AS source, row.5 AS device, count() AS clicks
    FROM (
      SELECT arrayJoin(arrayConcat(
        [('', batch, toStartOfDay(received_at), '', 'other')],
        arrayMap(link -> (account_id::String, link, toStartOfFifteenMinutes(clicked_at), source::String, device::String),
          if(verdict = 'counted', [0, cityHash64(link_id)], [])))) AS row
      FROM incoming_clicks WHERE only IN ('', 'clicks_by_quarter')
    )
    GROUP BY ALL`,
      view('links_by_day'),
      view('link_totals'),
    ],
  },
  {
    version: 2,
    statements: [
      // Inserts (by `log_comment`) of a batch (by its token) that were given up. It is unknown whether they arrived.
      `CREATE TABLE IF NOT EXISTS withdrawn_inserts (
        token String,
        name String,
        withdrawn_at DateTime('UTC') DEFAULT now()
      ) ENGINE = MergeTree ORDER BY token TTL withdrawn_at + toIntervalDay(1)`,
      CLICKS_BY_DAY,
      view('clicks_by_day', NOT_WITHDRAWN),
      ...(['clicks', 'links_by_day', 'link_totals'] as const).map(
        (table) => `ALTER TABLE incoming_to_${table} MODIFY QUERY ${selectFor(table, NOT_WITHDRAWN)}`,
      ),
    ],
    fill: replaceClicksByQuarter,
  },
  {
    version: 3,
    statements: [
      // Only a few rows are read for a hidden link. In blocks of 64 KiB, the default, most of the decompressed rows
      // belong to other links.
      'ALTER TABLE clicks_by_day MODIFY SETTING min_compress_block_size = 2048',
    ],
  },
  {
    version: 4,
    statements: [
      HIDDEN_SETS,
      `ALTER TABLE incoming_to_clicks_by_day MODIFY QUERY ${ROWS_WITH_HIDDEN_SETS}`,
      // The number of the link, as in the rollups. Computing it from the id on every read is expensive.
      'ALTER TABLE clicks ADD COLUMN IF NOT EXISTS link UInt64 DEFAULT cityHash64(link_id)',
      // Runs in the background. Until a part has the column, it is computed on reading.
      'ALTER TABLE clicks MATERIALIZE COLUMN link',
    ],
  },
  {
    version: 5,
    statements: [
      // No dictionaries: to find where one ends, each read would list the marks of all granules (ADR 26). Runs in the
      // background. Until a part is converted, ClickHouse converts it on reading.
      'ALTER TABLE clicks_by_day MODIFY COLUMN account_id String, MODIFY COLUMN from_source String SETTINGS alter_sync = 0',
    ],
  },
];
