import type { Database } from '../database/database.ts';
import { linkNumbers } from '../database/literals.ts';

/** All counted clicks of a link so far. */
export interface LinkTotal {
  linkId: string;
  clicks: number;
  lastClickedAtMs: number;
}

export interface TotalsStore {
  /** Returns the totals of these links. Links without counted clicks are missing. */
  findByLinks(linkIds: readonly string[], signal: AbortSignal): Promise<LinkTotal[]>;
}

const STATEMENT_MAX_SECONDS = 4;

export function createTotalsStore(database: Database): TotalsStore {
  return {
    async findByLinks(linkIds, signal) {
      if (linkIds.length === 0) return [];
      const rows = await database.query<{ link_id: string; total: number; last_ms: number }>(
        `SELECT link_id, sum(clicks) AS total, toUnixTimestamp64Milli(max(last_clicked_at)) AS last_ms FROM link_totals
         WHERE link IN ${linkNumbers(linkIds)} AND account_id != ''
         GROUP BY link_id HAVING total > 0`,
        { signal, settings: { max_execution_time: STATEMENT_MAX_SECONDS } },
      );
      return rows.map(({ link_id, total, last_ms }) => ({ linkId: link_id, clicks: total, lastClickedAtMs: last_ms }));
    },
  };
}
