import { AppError } from '@waymark/contract';
import { UnmetRequirement } from '@waymark/service-kit';
import type { Database } from './database.ts';

/**
 * How ClickHouse holds the tables: on one server, on replicas (a database with the engine `Replicated`), or on shards of
 * replicas (the same, and `CLICKHOUSE_CLUSTER` names the cluster).
 */
export type Topology = ({ kind: 'single' } | { kind: 'replicated' } | { kind: 'sharded'; cluster: string }) & {
  /** Whether ClickHouse has the setting `deduplicate_insert` (26.2 and later), which overrides `insert_deduplicate`. */
  hasDeduplicateInsert: boolean;
};

/** Enough concurrent statements for a balancer to lead some of them to another server, if there is one. */
const PROBES = 8;

/**
 * Returns how the database is held.
 * @throws {UnmetRequirement} if the tables would differ from server to server.
 */
export async function findTopology(
  database: Pick<Database, 'query' | 'name'>,
  cluster: string | undefined,
): Promise<Topology> {
  const [row] = await database.query<{ engine: string }>(
    'SELECT engine FROM system.databases WHERE name = {name:String}',
    { parameters: { name: database.name } },
  );
  const newer = await database.query("SELECT 1 FROM system.settings WHERE name = 'deduplicate_insert'");
  const hasDeduplicateInsert = newer.length > 0;
  if (row?.engine === 'Replicated')
    return cluster === undefined
      ? { kind: 'replicated', hasDeduplicateInsert }
      : { kind: 'sharded', cluster, hasDeduplicateInsert };
  if (cluster !== undefined)
    throw new UnmetRequirement(
      `CLICKHOUSE_CLUSTER is set, but the database ${database.name} has no engine Replicated: create it with ` +
        "CREATE DATABASE … ON CLUSTER … ENGINE = Replicated('/clickhouse/databases/…', '{shard}', '{replica}').",
    );
  const servers = await Promise.all(Array.from({ length: PROBES }, () => findServer(database)));
  if (new Set(servers).size > 1)
    throw new UnmetRequirement(
      `CLICKHOUSE_URL leads to several servers, but the database ${database.name} is local to each: give it the engine ` +
        'Replicated, or set CLICKHOUSE_URL to one server.',
    );
  return { kind: 'single', hasDeduplicateInsert };
}

async function findServer(database: Pick<Database, 'query'>): Promise<string> {
  const [row] = await database.query<{ server: string }>('SELECT toString(serverUUID()) AS server');
  if (row === undefined) throw new AppError('internal', 'ClickHouse sent no row.');
  return row.server;
}
