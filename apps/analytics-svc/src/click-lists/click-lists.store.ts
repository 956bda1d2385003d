import type { RawClick } from '@waymark/contract';
import { REQUEST_MAX_MS, timeLeftMs } from '@waymark/service-kit';
import { LISTED, linkNumbersAs, ofAccount } from '../analytics/conditions.ts';
import type { Database, StatementOptions } from '../database/database.ts';
import { FIGURES_SETTINGS } from '../database/settings.ts';
import type { Position } from './position.ts';

/** Which links of an account count. */
export interface Sight {
  accountId: string;
  /** The only links; null for all but the hidden ones. */
  onlyLinks: readonly string[] | null;
  hiddenLinks: readonly string[];
}

/** A run of blocks that has clicks. */
export interface BlockRange {
  last: number;
  /** The first and the last quarter of an hour of the clicks, in seconds since the epoch. */
  from: number;
  to: number;
}

/** A click as it is stored. */
export interface StoredClick extends Omit<RawClick, 'slug' | 'clicked_at' | 'cursor'> {
  clicked_at_ms: number;
  block: number;
}

export interface ClickListsStore {
  /** Returns where clicks of blocks `from.block` to `last` are. The last range ends with `last`. */
  findRanges(sight: Sight, from: Position, last: number, signal: AbortSignal): Promise<BlockRange[]>;
  /** Returns the first clicks behind a position, up to another one, in a range, in the order of blocks and ids. */
  findClicks(
    sight: Sight,
    between: { after: Position; upTo: Position | null },
    range: BlockRange,
    limit: number,
    signal: AbortSignal,
  ): Promise<StoredClick[]>;
  /** Returns the clicks of blocks up to `last` that happened latest, in the order of blocks and ids. */
  findLatest(sight: Sight, last: number, count: number, signal: AbortSignal): Promise<StoredClick[]>;
}

/** Clicks are located in about so many pieces, or fewer. */
const PIECES = 4_096;
/** A range has at least so many clicks, if there are as many. */
const RANGE_CLICKS = 2_000;

/** In so many days before now the latest clicks are looked for, one after another, and then in all. */
const LATEST_DAYS = [1, 30];

/** Columns whose empty text is null in the answer. */
const NULLABLE = [
  'host',
  'referrer',
  'country',
  'language',
  'utm_campaign',
  'utm_medium',
  'utm_content',
  'utm_term',
].map((column) => `nullIf(toString(clicks.${column}), '') AS ${column}`);
const STORED_CLICK = `toString(id) AS id, link_id, source, device, browser, os, ${NULLABLE},
  toUnixTimestamp64Milli(clicked_at) AS clicked_at_ms, _block_number AS block`;

/** The first and the last block of a part. ClickHouse skips the parts that do not meet a condition on these. */
const FIRST_OF_PART = "toUInt64(splitByChar('_', _part)[2])";
const LAST_OF_PART = "toUInt64(splitByChar('_', _part)[3])";

export function createClickListsStore(database: Pick<Database, 'query'>): ClickListsStore {
  const optionsOf = ({ accountId }: Sight, signal: AbortSignal): StatementOptions => ({
    parameters: { account: accountId },
    settings: { max_execution_time: timeLeftMs(REQUEST_MAX_MS) / 1_000, ...FIGURES_SETTINGS },
    signal,
  });
  return {
    async findRanges(sight, from, last, signal) {
      if (sight.onlyLinks?.length === 0) return [];
      // Blocks are numbered for all accounts together, so a piece has clicks of every account that is busy.
      const bits = Math.max(0, Math.ceil(Math.log2((last - from.block + 1) / PIECES)));
      const pieces = await database.query<{ piece: number; clicks: number; from: number; to: number }>(
        `${listed(sight)} SELECT bitShiftRight(_block_number, ${bits}) AS piece, count() AS clicks,
           toUnixTimestamp(min(quarter)) AS from, toUnixTimestamp(max(quarter)) AS to
         FROM clicks
         WHERE ${ofSight(sight)} AND ${LAST_OF_PART} >= ${from.block} AND _block_number >= ${from.block}
         GROUP BY piece ORDER BY piece`,
        optionsOf(sight, signal),
      );
      // The statement has no bound that changes, so that ClickHouse's cache of conditions knows what a poll needs to read.
      const known = pieces.filter(({ piece }) => piece * 2 ** bits <= last);
      return rangesOf(
        known.map(({ piece, ...rest }) => ({ ...rest, last: (piece + 1) * 2 ** bits - 1 })),
        last,
      );
    },
    async findClicks(sight, { after: { block, id }, upTo }, range, limit, signal) {
      if (sight.onlyLinks?.length === 0) return [];
      return database.query<StoredClick>(
        `${listed(sight)} SELECT ${STORED_CLICK} FROM clicks
         WHERE ${ofSight(sight)} AND ${LAST_OF_PART} >= ${block} AND ${FIRST_OF_PART} <= ${range.last}
           AND quarter BETWEEN toDateTime(${range.from}, 'UTC') AND toDateTime(${range.to}, 'UTC')
           AND _block_number <= ${range.last}
           AND (_block_number > ${block} OR (_block_number = ${block} AND clicks.id > toUUID('${id}')))
           ${upTo === null ? '' : `AND (_block_number < ${upTo.block} OR (_block_number = ${upTo.block} AND clicks.id <= toUUID('${upTo.id}')))`}
         ORDER BY _block_number, clicks.id LIMIT ${limit}`,
        optionsOf(sight, signal),
      );
    },
    async findLatest(sight, last, count, signal) {
      if (sight.onlyLinks?.length === 0) return [];
      const quarters = await findLatestQuarters(sight, count, signal);
      if (quarters.length === 0) return [];
      const starts = quarters.map((start) => `toDateTime(${start}, 'UTC')`).join();
      const inQuarters = `${ofSight(sight)} AND quarter IN (${starts}) AND _block_number <= ${last}`;
      return database.query<StoredClick>(
        `${listed(sight)} SELECT ${STORED_CLICK} FROM clicks
         WHERE ${inQuarters} AND clicks.id IN (
           SELECT id FROM clicks WHERE ${inQuarters} ORDER BY quarter DESC, clicked_at DESC, id LIMIT ${count})
         ORDER BY _block_number, clicks.id`,
        optionsOf(sight, signal),
      );
    },
  };

  /** Returns the quarters of an hour that have the latest clicks, in seconds since the epoch. */
  async function findLatestQuarters(sight: Sight, count: number, signal: AbortSignal): Promise<number[]> {
    let latest: number[] = [];
    for (const days of [...LATEST_DAYS, null]) {
      const since = days === null ? '' : `AND quarter >= now() - toIntervalDay(${days})`;
      const quarters = await database.query<{ start: number; clicks: number }>(
        `${listed(sight)} SELECT toUnixTimestamp(quarter) AS start, count() AS clicks FROM clicks
         WHERE ${countedOf(sight)} ${since} GROUP BY quarter ORDER BY quarter DESC LIMIT ${count}`,
        optionsOf(sight, signal),
      );
      let found = 0;
      latest = [];
      for (const { start, clicks } of quarters) {
        if (found >= count) break;
        found += clicks;
        latest.push(start);
      }
      if (found >= count) break;
    }
    return latest;
  }
}

/** Joins neighbouring pieces, so that few statements read accounts with few clicks. */
function rangesOf(pieces: readonly (BlockRange & { clicks: number })[], last: number): BlockRange[] {
  const ranges: (BlockRange & { clicks: number })[] = [];
  for (const piece of pieces) {
    const range = ranges.at(-1);
    if (range === undefined || range.clicks >= RANGE_CLICKS) ranges.push({ ...piece });
    else {
      range.clicks += piece.clicks;
      range.last = piece.last;
      range.from = Math.min(range.from, piece.from);
      range.to = Math.max(range.to, piece.to);
    }
  }
  const end = ranges.at(-1);
  if (end !== undefined) end.last = last;
  return ranges;
}

/** Returns the links of {@link ofSight} as a scalar, before a statement. */
function listed({ onlyLinks, hiddenLinks }: Sight): string {
  const links = onlyLinks ?? hiddenLinks;
  return links.length === 0 ? '' : `WITH ${linkNumbersAs('listed', links.join())}`;
}

/** Returns the same condition as {@link ofSight} in the form that the projection in the order of links can answer. */
function countedOf(sight: Sight): string {
  return sight.onlyLinks === null ? ofSight(sight) : `account_id = {account:String} AND counted AND link IN ${LISTED}`;
}

/** Returns the condition for the counted clicks of these links. */
function ofSight({ onlyLinks, hiddenLinks }: Sight): string {
  if (onlyLinks !== null) return `${ofAccount} AND link IN ${LISTED}`;
  return hiddenLinks.length === 0 ? ofAccount : `${ofAccount} AND link NOT IN ${LISTED}`;
}
