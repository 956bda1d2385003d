import type { Database } from '../database/database.ts';
import { numberList, stringList } from '../database/literals.ts';
import { startDeletion } from '../database/mutations.ts';
import { onEveryReplica } from '../database/tables.ts';
import type { Topology } from '../database/topology.ts';

export interface DeletedLink {
  accountId: string;
  linkId: string;
}

export interface PurgeStore {
  /**
   * Deletes all clicks of these links. Returns true once none is left, and false while ClickHouse still deletes them;
   * call it again later. Figures that exclude the links stay the same throughout. Clicks that arrive later are deleted by
   * the next purge.
   */
  purge(links: readonly DeletedLink[], signal: AbortSignal): Promise<boolean>;
}

export interface PurgeStoreDeps {
  database: Database;
  topology(): Topology;
}

/** The caller does not wait longer. */
const STATEMENT_MAX_SECONDS = 10;

export function createPurgeStore({ database, topology }: PurgeStoreDeps): PurgeStore {
  return {
    async purge(links, signal) {
      if (links.length === 0) return true;
      const accountIds = [...new Set(links.map(({ accountId }) => accountId))];
      const linkIds = links.map(({ linkId }) => linkId);
      const [row] = await database.query<{ numbers: string[] }>(
        `SELECT arrayMap(id -> toString(cityHash64(id)), [${stringList(linkIds)}]) AS numbers`,
        { signal },
      );
      const ofLinks = `account_id IN (${stringList(accountIds)}) AND link IN ${numberList(row!.numbers)}`;
      let done = true;
      for (const table of ['clicks', 'removed_clicks'] as const) {
        const left = await database.query(
          `SELECT 1 FROM ${onEveryReplica(table, topology(), database.name)} WHERE ${ofLinks} LIMIT 1`,
          {
            settings: { max_execution_time: STATEMENT_MAX_SECONDS },
            signal,
          },
        );
        if (left.length === 0) continue;
        done = false;
        await startDeletion(database, topology(), table, ofLinks, { signal });
      }
      return done;
    },
  };
}
