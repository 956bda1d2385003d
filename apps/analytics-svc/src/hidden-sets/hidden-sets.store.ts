import { randomInt } from 'node:crypto';
import type { Database } from '../database/database.ts';
import { COMPLETE_DAY } from '../database/hidden-sets.ts';
import { numberList } from '../database/literals.ts';
import { ONE_BLOCK } from '../database/one-block.ts';
import { waitForRunningInserts } from '../database/running-statements.ts';
import type { Hidden, HiddenSet, Viewer } from './hidden-set.ts';

/** A set as it is stored. */
export interface StoredSet extends HiddenSet {
  /** True where its sums are the sums of its links, at every moment from now on until it is dropped. */
  isComplete: boolean;
  /** Since it was begun. */
  ageSeconds: number;
}

/**
 * True for a complete set that was made lately. An older one is right too; that it is made anew from its links once a day mends what
 * nobody thought of (a purge by the version before, rows that were restored by hand).
 */
export function isYoung({ isComplete, ageSeconds }: StoredSet): boolean {
  return isComplete && ageSeconds < YOUNG_SECONDS;
}
const YOUNG_SECONDS = 86_400;

/**
 * The sets in ClickHouse. A set is begun, filled, completed, used, and dropped. What is inserted meanwhile is never waited
 * for by those who insert, and the sums of a complete set are those of its links in every state of the table:
 *
 * - The view adds a click to the sums of the sets that its link is in by then. Once a set is begun and the inserts that ran
 *   are over, every further one does: an insert is in ClickHouse's list before it reads `hidden_sets`.
 * - What the links had before is added in one block, of one state of the table.
 * - The mark of completeness is a row of the same table, of a day that no window reaches: it says how many links the set
 *   has, and whoever reads the sums reads it along. It is taken away in the block that takes the sums away.
 */
export interface HiddenSetsStore {
  /** The sets of the viewer, youngest first. */
  find(viewer: Viewer, signal: AbortSignal): Promise<StoredSet[]>;
  /** A new set, whose sums hold the clicks that are stored from now on. */
  begin(viewer: Viewer, links: ReadonlySet<string>, signal: AbortSignal): Promise<HiddenSet>;
  /** Adds to a set that was begun what its links had before, which are those of `from`. To be done once. */
  fill(viewer: Viewer, set: HiddenSet, from: Hidden, signal: AbortSignal): Promise<void>;
  /** False where the set is being dropped, or was: what was read of its sums until now may have lacked some. */
  isWhole(viewer: Viewer, set: HiddenSet, signal: AbortSignal): Promise<boolean>;
  /** From now on the set may be used, unless it was dropped meanwhile. */
  complete(viewer: Viewer, set: HiddenSet, signal: AbortSignal): Promise<void>;
  /** Takes a set away, whatever state it is in. Whoever reads its sums at this moment finds that it is gone. */
  drop(viewer: Viewer, number: string, signal: AbortSignal): Promise<void>;
}

/** Numbers of sets are in the order of `clicks_by_day` next to the account's 0: far below those of nearly all links. */
const NUMBERS_MAX = 2 ** 32;
/** Further back than any window, so that a set costs no more in an account of many years. */
const DAYS_FILLED = 400;
const STATEMENT_MAX_SECONDS = 11;
const SETTINGS = {
  ...ONE_BLOCK,
  insert_deduplicate: 0,
  optimize_on_insert: 0,
  max_execution_time: STATEMENT_MAX_SECONDS,
} as const;
const OF_VIEWER = 'account_id = {account:String} AND scope = {scope:String}';

/** A row with the number of the set's links, if it has no more and no fewer than it was begun with. */
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
      // Clicks that the view has added already are in the set and in its links: they cancel out.
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
      // With one link more than it was begun with, a set is not whole: it is not completed any more, or it is by now.
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
