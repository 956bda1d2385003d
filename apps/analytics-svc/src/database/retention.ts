import type { Database } from './database.ts';
import { startDeletion } from './mutations.ts';
import { STORED_MONTH } from './projections.ts';
import type { Topology } from './topology.ts';

/** Settings of an INSERT … SELECT that stores all its rows in one block, however many there are. */
const ONE_BLOCK = {
  max_insert_threads: '1',
  min_insert_block_size_rows: '100000000',
  min_insert_block_size_bytes: '0',
} as const;

/**
 * Removes the clicks of each month whose last day is more than `days` days ago. Before that it keeps their totals for
 * each link, because the counters of links include all clicks. Everything may run again, also after a failure and on
 * another replica at the same time: of the totals that are kept for a month, the highest counts. From their first moment
 * on, totals no longer include the clicks of that month.
 */
export async function removeOldClicks(
  database: Database,
  topology: Topology,
  days: number,
  now: Date = new Date(),
): Promise<void> {
  const before = new Date(now.getTime() - days * 86_400_000);
  // The month of that day is still needed.
  const firstKept = before.getUTCFullYear() * 100 + before.getUTCMonth() + 1;
  const months = await database.query<{ month: number }>(
    `SELECT ${STORED_MONTH} AS month FROM clicks WHERE month < {first:UInt32} GROUP BY month ORDER BY month`,
    { parameters: { first: firstKept } },
  );
  for (const { month } of months) {
    const parameters = { month };
    await database.command(
      `INSERT INTO removed_clicks (month, link, account_id, link_id, clicks, last_clicked_at)
       SELECT {month:UInt32}, link, account_id, any(link_id), count(), max(clicked_at) FROM clicks
       WHERE ${STORED_MONTH} = {month:UInt32} AND verdict = 'counted' GROUP BY link, account_id`,
      { parameters, settings: { ...ONE_BLOCK, distributed_foreground_insert: 1 } },
    );
    await startDeletion(database, topology, 'clicks', `${STORED_MONTH} = {month:UInt32}`, { parameters });
  }
}
