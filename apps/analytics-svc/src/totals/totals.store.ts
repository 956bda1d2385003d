import type { Database } from '../database/database.ts';
import { linkNumbers } from '../database/literals.ts';
import { STORED_MONTH } from '../database/projections.ts';
import { haveAllReplicasCaughtUp } from '../database/replication.ts';
import type { Topology } from '../database/topology.ts';

/** All counted clicks of a link so far, removed ones included (src/database/retention.ts). */
export interface LinkTotal {
  linkId: string;
  clicks: number;
  lastClickedAtMs: number;
}

export interface LinkTotals {
  /** Links without counted clicks are missing. */
  totals: LinkTotal[];
  /** True if the totals have every click that was acknowledged before they were requested. */
  complete: boolean;
}

export interface TotalsStore {
  /** Returns the totals of these links. */
  findByLinks(linkIds: readonly string[], signal: AbortSignal): Promise<LinkTotals>;
}

export interface TotalsStoreDeps {
  database: Database;
  topology(): Topology;
}

/** All parts of the statement read the same state of the tables. On shards, each one looks at its own tables only. */
const TOTALS_SETTINGS = {
  max_execution_time: 4,
  enable_shared_storage_snapshot_in_query: 1,
  distributed_product_mode: 'local',
} as const;

export function createTotalsStore({ database, topology }: TotalsStoreDeps): TotalsStore {
  return {
    async findByLinks(linkIds, signal) {
      if (linkIds.length === 0) return { totals: [], complete: true };
      // Another replica than this one may have acknowledged the clicks.
      const complete = await haveAllReplicasCaughtUp(database, topology(), signal);
      const rows = await database.query<{ link_id: string; total: number; last_ms: number }>(
        `SELECT link_id, sum(clicks) AS total, toUnixTimestamp64Milli(max(last_clicked_at)) AS last_ms FROM (
           SELECT any(link_id) AS link_id, link, account_id, count() AS clicks, max(clicked_at) AS last_clicked_at
           FROM clicks
           WHERE link IN ${linkNumbers(linkIds)} AND verdict = 'counted'
             AND ${STORED_MONTH} NOT IN (SELECT month FROM removed_clicks)
           GROUP BY link, account_id
           UNION ALL
           SELECT any(link_id), link, account_id, max(clicks), max(last_clicked_at) FROM removed_clicks
           WHERE link IN ${linkNumbers(linkIds)} GROUP BY link, account_id, month
         ) GROUP BY link_id`,
        { signal, settings: TOTALS_SETTINGS },
      );
      const totals = rows.map(({ link_id, total, last_ms }) => ({
        linkId: link_id,
        clicks: total,
        lastClickedAtMs: last_ms,
      }));
      return { totals, complete };
    },
  };
}
