import type { Database } from './database.ts';
import { localName, onEveryShard } from './schema.ts';
import type { Topology } from './topology.ts';

/**
 * Starts to delete rows of a table, unless an earlier deletion still runs, and returns at once. ClickHouse rewrites the
 * parts that have such rows, sums included, which takes minutes for many clicks. So callers delete rarely, and ask later
 * whether rows are left.
 */
export async function startDeletion(
  database: Database,
  topology: Topology,
  table: 'clicks' | 'removed_clicks',
  condition: string,
  { parameters, signal }: { parameters?: Record<string, unknown>; signal?: AbortSignal } = {},
): Promise<void> {
  const name = localName(table, topology);
  const running = await database.query(
    'SELECT 1 FROM system.mutations WHERE database = {database:String} AND table = {table:String} AND NOT is_done LIMIT 1',
    { parameters: { database: database.name, table: name }, ...(signal && { signal }) },
  );
  if (running.length > 0) return;
  await database.command(`DELETE FROM ${name} ${onEveryShard(topology)} WHERE ${condition}`, {
    ...(parameters && { parameters }),
    settings: { lightweight_deletes_sync: '0' },
    ...(signal && { signal }),
  });
}
