import { stringLiteral } from './literals.ts';
import type { Topology } from './topology.ts';

/** Name of the table with the rows of one shard. Equal to the name of the table itself unless there are shards. */
export function localName(table: string, topology: Topology): string {
  return topology.kind === 'sharded' ? `${table}_local` : table;
}

/** The table after `FROM` for a statement that must read the rows of every replica of every shard. */
export function onEveryReplica(table: string, topology: Topology, databaseName: string): string {
  if (topology.kind === 'single') return table;
  // A Replicated database defines a cluster of the same name.
  return `clusterAllReplicas(${stringLiteral(databaseName)}, currentDatabase(), ${localName(table, topology)})`;
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

export interface TableDefinition {
  columns: string;
  /** The engine on one server, with its order and settings. */
  engine: string;
  /** What decides on the shard of a row. */
  shardBy: string;
}

/**
 * Returns the statements that create a table on one server or on replicas, and the one over all shards. Each does
 * nothing if its table exists.
 */
export function createTable(name: string, { columns, engine, shardBy }: TableDefinition, topology: Topology): string[] {
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
  const over = `Distributed(\`${topology.cluster}\`, currentDatabase(), ${localName(name, topology)}, ${shardBy})`;
  return [local, create(name, `AS ${localName(name, topology)}`, over)];
}
