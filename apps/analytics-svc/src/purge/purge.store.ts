import { createHash } from 'node:crypto';
import { AppError, UNAVAILABLE_MESSAGE } from '@waymark/contract';
import type { Database } from '../database/database.ts';
import { setsOfLinks } from '../database/hidden-sets.ts';
import { linkNumbers, stringList } from '../database/literals.ts';
import { ONE_BLOCK } from '../database/one-block.ts';

export interface PurgeStore {
  /**
   * Deletes all clicks of these links of the account. Figures that exclude the links stay the same throughout, even
   * after a crash. Running it again finishes an interrupted purge. Clicks that arrive later are deleted by the next
   * purge.
   */
  purge(accountId: string, linkIds: readonly string[], signal: AbortSignal): Promise<void>;
}

/** The caller does not wait longer. */
const STATEMENT_MAX_SECONDS = 10;

export function createPurgeStore(database: Database): PurgeStore {
  return {
    async purge(accountId, linkIds, signal) {
      if (linkIds.length === 0) return;
      const options = {
        parameters: { account: accountId },
        settings: { max_execution_time: STATEMENT_MAX_SECONDS },
        signal,
      };
      const ofLinks = `account_id = {account:String} AND link IN ${linkNumbers(linkIds)}`;
      const find = async () => {
        const [state] = await database.query<{ cells: number; digest: string }>(
          `SELECT count() AS cells, toString(groupBitXor(sipHash64(link, from_source, day, total))) AS digest
           FROM (SELECT link, from_source, day, sumForEach([desktop, mobile, tablet, other]) AS total
                 FROM clicks_by_day WHERE ${ofLinks}
                 GROUP BY link, from_source, day HAVING arrayExists(clicks -> clicks != 0, total))`,
          options,
        );
        return state!;
      };

      // The sums of the account and of hidden sets include the clicks of the links. One block subtracts them from all.
      const before = await find();
      if (before.cells > 0) {
        await database.command(
          `INSERT INTO clicks_by_day
           SELECT account_id, from_source, side, day, -desktop, -mobile, -tablet, -other,
             \`quartersMap.quarter\`, arrayMap(clicks -> -clicks, \`quartersMap.clicks\`),
             if(side = link, \`sourcesMap.source\`, []), if(side = link, arrayMap(clicks -> -clicks, \`sourcesMap.clicks\`), [])
           FROM (
             SELECT *, arrayConcat([0, link], sets) AS sides
             FROM clicks_by_day LEFT JOIN (${setsOfLinks(ofLinks)}) AS in_sets USING link
             WHERE ${ofLinks}
           ) ARRAY JOIN sides AS side`,
          {
            ...options,
            settings: {
              ...options.settings,
              ...ONE_BLOCK,
              insert_deduplication_token: tokenOf(linkIds, before.digest),
            },
          },
        );
        const { cells } = await find();
        if (cells > 0)
          throw new AppError('unavailable', UNAVAILABLE_MESSAGE, { cause: new Error('clicks were left, or arrived') });
      }
      for (const [table, rows] of [
        ['links_by_day', ofLinks],
        ['link_totals', ofLinks],
        ['clicks', `account_id = {account:String} AND link_id IN (${stringList(linkIds)})`],
      ]) {
        await database.command(`DELETE FROM ${table} WHERE ${rows}`, {
          ...options,
          settings: { ...options.settings, lightweight_deletes_sync: '1' },
        });
      }
    },
  };
}

const TOKEN_LIFE_MS = 600_000;

/**
 * Returns the deduplication token of a purge: concurrent purges of the same clicks subtract them once. A server that
 * was killed may remember the token of a block that it lost. The purge then fails until the token changes, which it
 * does every ten minutes.
 */
function tokenOf(linkIds: readonly string[], digest: string): string {
  const period = Math.floor(Date.now() / TOKEN_LIFE_MS);
  return `purge-${createHash('sha256').update(`${period}\n${linkIds.join()}\n${digest}`).digest('hex')}`;
}
