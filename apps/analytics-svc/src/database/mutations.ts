import { AppError, UNAVAILABLE_MESSAGE } from '@waymark/contract';
import type { Database } from './database.ts';
import { localName } from './tables.ts';
import type { Topology } from './topology.ts';

const REASON_MAX_LENGTH = 500;

/**
 * Starts to delete rows of a table, unless an earlier deletion still runs, and returns at once. ClickHouse rewrites the
 * parts that have such rows, sums included, which takes minutes for many clicks. So callers delete rarely, and ask later
 * whether rows are left.
 * @throws {AppError} `unavailable` with ClickHouse's reason if an earlier deletion fails again and again.
 */
export async function startDeletion(
  database: Database,
  topology: Topology,
  table: 'clicks' | 'removed_clicks',
  condition: string,
  { parameters, signal }: { parameters?: Record<string, unknown>; signal?: AbortSignal } = {},
): Promise<void> {
  const name = localName(table, topology);
  const running = await database.query<{ failure: string }>(
    `SELECT latest_fail_reason AS failure FROM system.mutations
     WHERE database = {database:String} AND table = {table:String} AND NOT is_done ORDER BY failure DESC LIMIT 1`,
    { parameters: { database: database.name, table: name }, ...(signal && { signal }) },
  );
  if (running[0] !== undefined) {
    // ClickHouse tries a failed deletion again for ever, and no other one begins.
    if (running[0].failure !== '')
      throw new AppError('unavailable', UNAVAILABLE_MESSAGE, {
        cause: new Error(`a deletion in ${name} fails: ${running[0].failure.slice(0, REASON_MAX_LENGTH)}`),
      });
    return;
  }
  // A Replicated database runs it on every shard by itself, and refuses ON CLUSTER.
  await database.command(`DELETE FROM ${name} WHERE ${condition}`, {
    ...(parameters && { parameters }),
    settings: { lightweight_deletes_sync: '0' },
    ...(signal && { signal }),
  });
}
