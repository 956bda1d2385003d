import { randomInt } from 'node:crypto';
import type { Database } from '../database/database.ts';
import { COMPLETE_DAY } from '../database/hidden-sets.ts';
import { numberList } from '../database/literals.ts';
import { ONE_BLOCK } from '../database/one-block.ts';
import { waitForRunningInserts } from '../database/running-statements.ts';
import type { Hidden, HiddenSet, Viewer } from './hidden-set.ts';

/** A set as it is stored. */
export interface StoredSet extends HiddenSet {
  /** True if its sums equal the sums of its links, at every moment until it is dropped. */
  isComplete: boolean;
  /** The time since it was begun. */
  ageSeconds: number;
}

/**
 * Returns true for a complete set that was begun less than a day ago. An older set is correct too, but a daily rebuild
 * from its links repairs unforeseen errors, such as a purge by an older version or rows that were restored by hand.
 */
export function isYoung({ isComplete, ageSeconds }: StoredSet): boolean {
  return isComplete && ageSeconds < YOUNG_SECONDS;
}
const YOUNG_SECONDS = 86_400;

/**
 * The sets in ClickHouse. A set is begun, filled, completed, used, and dropped. Inserts never wait for any of this, and
 * in every state of the table the sums of a complete set equal those of its links:
 *
 * - The view adds a click to the sums of the sets that its link is in at that moment. Once a set is begun and the
 *   inserts that were running have ended, every later insert does so: ClickHouse lists an insert before the insert
 *   reads `hidden_sets`.
 * - The earlier clicks of the links are added in one block, from one state of the table.
 * - The mark of completeness is a row of the same table, on a day that no window reaches. It has the number of links in
 *   the set. A query reads it together with the sums, and a drop removes it in the same block as the sums.
 */
export interface HiddenSetsStore {
  /** Returns the sets of the viewer, youngest first. */
  find(viewer: Viewer, signal: AbortSignal): Promise<StoredSet[]>;
  /** Begins a set and waits for running inserts. The sums of the set contain all clicks that are stored afterwards. */
  begin(viewer: Viewer, links: ReadonlySet<string>, signal: AbortSignal): Promise<HiddenSet>;
  /** Adds the earlier clicks of the links, which `from` describes, to a set that was begun. Call it once. */
  fill(viewer: Viewer, set: HiddenSet, from: Hidden, signal: AbortSignal): Promise<void>;
  /**
   * Returns false if the set was dropped or is being dropped. Its sums may then have been incomplete when they were
   * read.
   */
  isWhole(viewer: Viewer, set: HiddenSet, signal: AbortSignal): Promise<boolean>;
  /** Marks the set as complete, so that queries use it, unless it was dropped meanwhile. */
  complete(viewer: Viewer, set: HiddenSet, signal: AbortSignal): Promise<void>;
  /** Drops a set in any state. A concurrent query sees the whole set, or that it is gone. */
  drop(viewer: Viewer, number: string, signal: AbortSignal): Promise<void>;
}

/**
 * Small numbers keep the rows of sets next to the account's (link 0) in the order of `clicks_by_day`, before nearly all
 * links.
 */
const NUMBERS_MAX = 2 ** 32;
/** Further back than any window. The limit keeps a set cheap for an account of many years. */
const DAYS_FILLED = 400;
const STATEMENT_MAX_SECONDS = 11;
const SETTINGS = {
  ...ONE_BLOCK,
  insert_deduplicate: 0,
  optimize_on_insert: 0,
  max_execution_time: STATEMENT_MAX_SECONDS,
} as const;
const OF_VIEWER = 'account_id = {account:String} AND scope = {scope:String}';

/**
 * Returns a query for the number of links in the set. It has no row if the set has more or fewer links than at its
 * start.
 */
function linksOfWhole({ number, links }: HiddenSet): string {
  return `SELECT count() AS links FROM hidden_sets WHERE ${OF_VIEWER} AND number = ${number} HAVING links = ${links.size}`;
}

export function createHiddenSetsStore(database: Database): HiddenSetsStore {
  const optionsOf = ({ accountId, scope }: Viewer, signal: AbortSignal) => ({
    parameters: { account: accountId, scope },
    settings: SETTINGS,
    signal,
  });
  return {
    async find(viewer, signal) {
      const rows = await database.query<{ number: string; links: string[]; complete: number; age: number }>(
        `SELECT toString(number) AS number, groupArray(toString(link)) AS links, count() = any(of_links) AS complete,
           toUInt32(now() - min(begun_at)) AS age
         FROM hidden_sets LEFT JOIN (
           SELECT link AS number, sum(other) AS of_links FROM clicks_by_day
           WHERE account_id = {account:String} AND from_source = '' AND day = ${COMPLETE_DAY}
             AND link IN (SELECT number FROM hidden_sets WHERE ${OF_VIEWER})
           GROUP BY link
         ) AS complete_days USING number
         WHERE ${OF_VIEWER} GROUP BY hidden_sets.number ORDER BY age, number`,
        optionsOf(viewer, signal),
      );
      return rows.map(({ number, links, complete, age }) => ({
        number,
        links: new Set(links),
        isComplete: complete === 1,
        ageSeconds: age,
      }));
    },

    async begin(viewer, links, signal) {
      const set: HiddenSet = { number: String(randomInt(1, NUMBERS_MAX)), links };
      await database.command(
        `INSERT INTO hidden_sets (account_id, scope, number, link)
         SELECT {account:String}, {scope:String}, ${set.number}, arrayJoin(${numberList([...links])})`,
        optionsOf(viewer, signal),
      );
      await waitForRunningInserts(database, signal);
      return set;
    },

    async fill(viewer, { number }, { set, added, removed }, signal) {
      const plus = set === null ? added : [set.number, ...added];
      const minus = [number, ...removed];
      // Clicks that the view has already added are in the sums of the set and of its links. Subtracting the set cancels
      // them out.
      await database.command(
        `INSERT INTO clicks_by_day
           (account_id, from_source, link, day, desktop, mobile, tablet, other, \`quartersMap.quarter\`, \`quartersMap.clicks\`)
         SELECT {account:String}, from_source, ${number}, day,
           sum(sign * desktop), sum(sign * mobile), sum(sign * tablet), sum(sign * other),
           (sumMap(\`quartersMap.quarter\`, arrayMap(clicks -> sign * clicks, \`quartersMap.clicks\`)) AS quarters).1, quarters.2
         FROM (
           SELECT *, if(link IN ${numberList(minus)}, -1, 1) AS sign FROM clicks_by_day
           WHERE account_id = {account:String} AND link IN ${numberList([...plus, ...minus])}
             AND day > today() - ${DAYS_FILLED} AND day < ${COMPLETE_DAY}
         )
         GROUP BY from_source, day`,
        optionsOf(viewer, signal),
      );
    },

    async isWhole(viewer, set, signal) {
      return (await database.query(linksOfWhole(set), optionsOf(viewer, signal))).length > 0;
    },

    async complete(viewer, set, signal) {
      await database.command(
        `INSERT INTO clicks_by_day (account_id, from_source, link, day, other)
         SELECT {account:String}, '', ${set.number}, ${COMPLETE_DAY}, links FROM (${linksOfWhole(set)})`,
        optionsOf(viewer, signal),
      );
    },

    async drop(viewer, number, signal) {
      const options = optionsOf(viewer, signal);
      // With an extra link the set is not whole and cannot be completed any more. A completion that is running is
      // waited for.
      await database.command(
        `INSERT INTO hidden_sets (account_id, scope, number, link) SELECT {account:String}, {scope:String}, ${number}, 0`,
        options,
      );
      await waitForRunningInserts(database, signal);
      await database.command(
        `INSERT INTO clicks_by_day
           (account_id, from_source, link, day, desktop, mobile, tablet, other, \`quartersMap.quarter\`, \`quartersMap.clicks\`)
         SELECT account_id, from_source, link, day, -desktop, -mobile, -tablet, -other,
           \`quartersMap.quarter\`, arrayMap(clicks -> -clicks, \`quartersMap.clicks\`)
         FROM clicks_by_day WHERE account_id = {account:String} AND link = ${number}`,
        options,
      );
      await database.command(`DELETE FROM hidden_sets WHERE ${OF_VIEWER} AND number = ${number}`, {
        ...options,
        settings: { ...options.settings, lightweight_deletes_sync: '1' },
      });
    },
  };
}
