import type { Device } from '@waymark/contract';
import type { Database } from '../database/database.ts';
import { linkNumbers, stringList } from '../database/literals.ts';

/** What is asked: whose clicks, from when to when, from which source, and without which links. */
export interface ClickQuery {
  accountId: string;
  /** Seconds since the epoch; day `i` is [boundaries[i], boundaries[i + 1]). Ascending, on quarters of an hour. */
  boundaries: readonly number[];
  /** All sources where null. */
  source: string | null;
  hiddenLinks: readonly string[];
}

/** Clicks by day, device and source, of one moment: their sums are equal. */
export interface Figures {
  /** By index of the day; days without clicks are missing. */
  days: Map<number, number>;
  /** Most clicks first, then by name. */
  devices: { device: Device; clicks: number }[];
  /** Most clicks first, then by name, at most {@link SOURCES_READ_MAX}. */
  sources: { source: string; clicks: number }[];
}

/** A link and its clicks. */
export interface LinkClicks {
  linkId: string;
  clicks: number;
}

export interface AnalyticsStore {
  findFigures(query: ClickQuery, signal: AbortSignal): Promise<Figures>;
  /** The links with the most clicks first, then by number, at most `limit`. */
  findTopLinks(query: ClickQuery, limit: number, signal: AbortSignal): Promise<LinkClicks[]>;
}

/** More than the days of any window, and than the sources that are shown. */
const SOURCES_READ_MAX = 366;
const DAY_SECONDS = 86_400;
/** Windows up to this many days leave links out click by click: reading their rollups would read more. */
const FROM_CLICKS_MAX_DAYS = 2;
const STATEMENT_MAX_SECONDS = 4;

export function createAnalyticsStore(database: Database): AnalyticsStore {
  return {
    async findFigures(query, signal) {
      const statement = figuresStatement(query);
      const rows = await database.query<{ day: number; source: string; device: Device; total: number }>(statement, {
        ...optionsOf(query),
        signal,
      });
      const days = new Map<number, number>();
      const devices: Figures['devices'] = [];
      const sources: Figures['sources'] = [];
      const dayOfBoundary = new Map(query.boundaries.map((boundary, day) => [boundary, day]));
      for (const { day, source, device, total } of rows) {
        if (day !== 0) days.set(dayOfBoundary.get(day)!, total);
        else if (source !== '') sources.push({ source, clicks: total });
        else devices.push({ device, clicks: total });
      }
      return { days, devices, sources };
    },
    async findTopLinks(query, limit, signal) {
      const options = { ...optionsOf(query), signal };
      const top = await database.query<{ link: string; total: number }>(topLinksStatement(query, limit), options);
      if (top.length === 0) return [];
      const rows = await database.query<{ link: string; link_id: string }>(
        `SELECT DISTINCT toString(link) AS link, link_id FROM link_totals
         WHERE link_totals.link IN (${top.map(({ link }) => link).join(',')}) AND account_id = {account:String}`,
        options,
      );
      const ids = new Map(rows.map(({ link, link_id }) => [link, link_id]));
      // A link whose first click is being stored at this moment may have no name yet.
      return top.flatMap(({ link, total }) => (ids.has(link) ? [{ linkId: ids.get(link)!, clicks: total }] : []));
    },
  };
}

function optionsOf({ accountId, source }: ClickQuery) {
  return {
    parameters: { account: accountId, source: source ?? '' },
    settings: { max_execution_time: STATEMENT_MAX_SECONDS },
  };
}

/**
 * One statement on one table, so that all figures come from the same moment. A row of the answer is a day (named by its
 * beginning), a source or a device; the other two are empty. A day that its zone skipped has the beginning of the next.
 */
function figuresStatement(query: ClickQuery): string {
  const { boundaries, hiddenLinks } = query;
  const inner =
    hiddenLinks.length > 0 && boundaries.length - 1 <= FROM_CLICKS_MAX_DAYS
      ? figuresFromClicks(query)
      : figuresFromRollup(query);
  return `
    SELECT if(second = 0, 0, roundDown(second, [${boundaries.slice(0, -1).join(',')}])) AS day, source, device, sum(clicks) AS total
    FROM (${inner})
    GROUP BY day, source, device
    HAVING total != 0
    ORDER BY total DESC, source, device::String
    LIMIT ${SOURCES_READ_MAX} BY day != 0, source != ''`;
}

const BY_EACH = 'GROUP BY GROUPING SETS ((quarter), (source), (device))';

/** Clicks of the account less those of the links to leave out: both are rows of one table, written in one block. */
function figuresFromRollup({ boundaries, source, hiddenLinks }: ClickQuery): string {
  const hidden = hiddenLinks.length > 0;
  return `
    SELECT toUInt32(quarter) AS second, source, device, ${hidden ? 'sum(if(link = 0, clicks, -clicks))' : 'sum(clicks)'} AS clicks
    FROM clicks_by_quarter
    WHERE account_id = {account:String} AND quarter >= ${boundaries[0]} AND quarter < ${boundaries.at(-1)}
      AND ${hidden ? `link IN (SELECT 0::UInt64 UNION ALL ${linkNumbers(hiddenLinks)})` : 'link = 0'}
      ${source === null ? '' : 'AND source = {source:String}'}
    ${BY_EACH}`;
}

function figuresFromClicks({ boundaries, source, hiddenLinks }: ClickQuery): string {
  return `
    SELECT toUInt32(quarter) AS second, source, device, count() AS clicks
    FROM clicks
    WHERE account_id = {account:String} AND ${between(boundaries[0]!, boundaries.at(-1)!)} AND verdict = 'counted'
      AND link_id NOT IN (${stringList(hiddenLinks)})
      ${source === null ? '' : 'AND source = {source:String}'}
    GROUP BY GROUPING SETS ((toStartOfFifteenMinutes(clicked_at) AS quarter), (source), (device))`;
}

/** Whole days of UTC from the rollup; what the zone's midnights cut off them, from the clicks themselves. */
function topLinksStatement({ boundaries, source, hiddenLinks }: ClickQuery, limit: number): string {
  const from = boundaries[0]!;
  const to = boundaries.at(-1)!;
  const firstDay = Math.ceil(from / DAY_SECONDS);
  const endDay = Math.max(firstDay, Math.floor(to / DAY_SECONDS));
  const edges: [number, number][] =
    firstDay * DAY_SECONDS >= to
      ? [[from, to]]
      : [
          [from, firstDay * DAY_SECONDS],
          [endDay * DAY_SECONDS, to],
        ];
  const parts = [
    `SELECT link, sum(clicks) AS clicks FROM links_by_day
     WHERE account_id = {account:String} AND from_source = {source:String}
       AND day >= toDate(${firstDay}) AND day < toDate(${endDay})
     GROUP BY link`,
    ...edges
      .filter(([begin, end]) => begin < end)
      .map(
        ([begin, end]) => `SELECT cityHash64(link_id) AS link, count()::Int64 AS clicks FROM clicks
          WHERE account_id = {account:String} AND ${between(begin, end)} AND verdict = 'counted'
            ${source === null ? '' : 'AND source = {source:String}'}
          GROUP BY link`,
      ),
  ];
  return `
    SELECT toString(number) AS link, total
    FROM (
      SELECT link AS number, sum(clicks) AS total
      FROM (${parts.join(' UNION ALL ')})
      ${hiddenLinks.length === 0 ? '' : `WHERE link NOT IN ${linkNumbers(hiddenLinks)}`}
      GROUP BY number
      HAVING total != 0
      ORDER BY total DESC, number
      LIMIT ${limit}
    )
    ORDER BY total DESC, number`;
}

function between(from: number, to: number): string {
  return `clicked_at >= toDateTime64(${from}, 3, 'UTC') AND clicked_at < toDateTime64(${to}, 3, 'UTC')`;
}
