import { DEVICES } from '@waymark/contract';
import { VERDICTS } from '../clicks/click.ts';
import { stringLiteral } from './literals.ts';
import { projections } from './projections.ts';
import type { Topology } from './topology.ts';

const enumOf = (names: readonly string[], first: number) =>
  `Enum8(${names.map((name, index) => `'${name}' = ${index + first}`).join(', ')})`;

/** The columns of a click that an insert sends, in this order. */
export const INSERTED_COLUMNS = {
  batch: 'UInt64',
  id: 'UUID',
  account_id: 'LowCardinality(String)',
  link_id: 'LowCardinality(String)',
  clicked_at: "DateTime64(3, 'UTC')",
  verdict: enumOf(VERDICTS, 0),
  source: 'LowCardinality(String)',
  /** The host of the page that led here; empty if there is none. */
  referrer: 'LowCardinality(String)',
  device: enumOf(DEVICES, 1),
  browser: 'LowCardinality(String)',
  os: 'LowCardinality(String)',
  /** ISO 3166-1 alpha-2; empty if unknown. */
  country: 'LowCardinality(String)',
  /** Different for each visitor and UTC day; 0 if unknown. */
  visitor: 'UInt64',
} as const;

const insertedColumns = Object.entries(INSERTED_COLUMNS).map(([name, type]) => `${name} ${type}`);

/** An insert that was withdrawn before it began fails here, however late it arrives. */
const NOT_WITHDRAWN =
  "throwIf(getSetting('log_comment') IN (SELECT name FROM withdrawn_inserts), 'This insert was withdrawn') = 0";

/** Name of the table with the rows of one shard. Equal to the name of the table itself unless there are shards. */
export function localName(table: string, topology: Topology): string {
  return topology.kind === 'sharded' ? `${table}_local` : table;
}

/** The table after `FROM` for a statement that must read the rows of every replica of every shard. */
export function onEveryReplica(table: string, topology: Topology, databaseName: string): string {
  if (topology.kind === 'single') return table;
  // The cluster of a Replicated database has its name.
  return `clusterAllReplicas(${stringLiteral(databaseName)}, currentDatabase(), ${localName(table, topology)})`;
}

/**
 * Returns the statements that create the tables, each of which does nothing if its table exists.
 *
 * `clicks` has a row for each click, counted or not. All that is known about clicks comes from this table, so a batch
 * that is stored by one insert of one block is there wholly or not at all (ADR 34). It is not partitioned, because a
 * part of each partition is read for every hidden link.
 *
 * Questions read `quarter`, the quarter of an hour of the click, and never `clicked_at`. Days and hours begin on
 * quarters in every zone, and in the order of the table the column takes hardly any space and time to read. Sparse
 * columns are off, because `verdict` would be one and slow down every filter.
 *
 * Conditions on links use `counted`, because `by_link` has it instead of `verdict`.
 *
 * `removed_clicks` keeps the totals of links after their clicks were removed for their age. Of several rows the one with
 * the most clicks stays, because a later one may be written when some clicks are gone already.
 */
export function tableStatements(topology: Topology): string[] {
  const statements = [
    ...tables(
      'clicks',
      `${insertedColumns.join(', ')},
      quarter DateTime('UTC') DEFAULT toStartOfFifteenMinutes(clicked_at),
      stored_at DateTime('UTC') DEFAULT now(),
      link UInt64 DEFAULT cityHash64(link_id),
      counted Bool DEFAULT verdict = 'counted',
      ${Object.entries(projections())
        .map(([name, query]) => `PROJECTION ${name} (${query})`)
        .join(', ')}`,
      `MergeTree ORDER BY (account_id, quarter)
       SETTINGS lightweight_mutation_projection_mode = 'rebuild', ratio_of_defaults_for_sparse_serialization = 1`,
      topology,
    ),
    ...tables(
      'removed_clicks',
      `month UInt32, link UInt64, account_id LowCardinality(String), link_id String, clicks UInt64,
      last_clicked_at DateTime64(3, 'UTC')`,
      'ReplacingMergeTree(clicks) ORDER BY (link, account_id, month)',
      topology,
    ),
  ];
  if (topology.kind !== 'single') return statements;
  return [
    ...statements,
    // Inserts (by `log_comment`) that were given up. It is unknown whether they arrived.
    `CREATE TABLE IF NOT EXISTS withdrawn_inserts (
      token String, name String, withdrawn_at DateTime('UTC') DEFAULT now()
    ) ENGINE = MergeTree ORDER BY token TTL withdrawn_at + toIntervalDay(1)`,
    `CREATE TABLE IF NOT EXISTS incoming_clicks (${insertedColumns.join(', ')}) ENGINE = Null`,
    `CREATE MATERIALIZED VIEW IF NOT EXISTS incoming_to_clicks TO clicks
     AS SELECT ${Object.keys(INSERTED_COLUMNS).join(', ')} FROM incoming_clicks WHERE ${NOT_WITHDRAWN}`,
  ];
}

/**
 * Settings of a replicated table. Keeper remembers the token of a batch in the same transaction as its part, so a
 * repeated insert is dropped. A part that was acknowledged must survive a power failure, because its token does.
 */
const REPLICATED_SETTINGS = {
  replicated_deduplication_window: 100_000,
  replicated_deduplication_window_seconds: 7 * 86_400,
  fsync_after_insert: 1,
  fsync_part_directory: 1,
};

/** Returns the statements for a table on one server or on replicas, and for the one over all shards. */
function tables(name: string, columns: string, engine: string, topology: Topology): string[] {
  const create = (table: string, definition: string, as: string) =>
    `CREATE TABLE IF NOT EXISTS ${table} ${definition} ENGINE = ${as}`;
  const withSettings = (added: string) => `${engine}${engine.includes('SETTINGS') ? ',' : ' SETTINGS'} ${added}`;
  // Without Keeper, tokens are not to be trusted (ADR 34), whatever a profile says.
  if (topology.kind === 'single')
    return [create(name, `(${columns})`, withSettings('non_replicated_deduplication_window = 0'))];
  const settings = Object.entries(REPLICATED_SETTINGS).map(([setting, value]) => `${setting} = ${value}`);
  const replicated = `Replicated${withSettings(settings.join(', '))}`;
  const local = create(localName(name, topology), `(${columns})`, replicated);
  if (topology.kind === 'replicated') return [local];
  const over = `Distributed(\`${topology.cluster}\`, currentDatabase(), ${localName(name, topology)}, cityHash64(account_id))`;
  return [local, create(name, `AS ${localName(name, topology)}`, over)];
}
