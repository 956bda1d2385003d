import type { Database } from '../database/database.ts';
import { linkNumbers } from '../database/literals.ts';
import { STORED_MONTH } from '../database/projections.ts';

/** All counted clicks of a link so far, removed ones included (src/database/retention.ts). */
export interface LinkTotal {
  linkId: string;
  clicks: number;
  lastClickedAtMs: number;
}

export interface TotalsStore {
  /** Returns the totals of these links. Links without counted clicks are missing. */
  findByLinks(linkIds: readonly string[], signal: AbortSignal): Promise<LinkTotal[]>;
}

/** All parts of the statement read the same state of the tables. On shards, each one looks at its own tables only. */
const TOTALS_SETTINGS = {
  max_execution_time: 4,
  enable_shared_storage_snapshot_in_query: 1,
  distributed_product_mode: 'local',
} as const;

export function createTotalsStore(database: Database): TotalsStore {
  return {
    async findByLinks(linkIds, signal) {
      if (linkIds.length === 0) return [];
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
      return rows.map(({ link_id, total, last_ms }) => ({ linkId: link_id, clicks: total, lastClickedAtMs: last_ms }));
    },
  };
}
