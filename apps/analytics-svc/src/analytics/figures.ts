import { DEVICES, type Device } from '@waymark/contract';
import { COMPLETE_DAY } from '../database/hidden-sets.ts';
import { numberList } from '../database/literals.ts';
import { changesOf, type Hidden, type HiddenSet, READ_ONE_BY_ONE_MAX } from '../hidden-sets/hidden-set.ts';
import { type ClickQuery, countedClicks } from './click-query.ts';
import { cutsOf, nthCuts, secondOf, type UtcDays, utcDaysOf } from './utc-days.ts';

/** Clicks by day, device and source, of one moment: their sums are equal. */
export interface Figures {
  /** By index of the day; days without clicks are missing. */
  days: Map<number, number>;
  /** Most clicks first, then by name. */
  devices: { device: Device; clicks: number }[];
  /** Most clicks first, then by name, at most {@link ROWS_OF_KIND_MAX}. */
  sources: { source: string; clicks: number }[];
}

/** The links to leave out. */
export interface LeftOut {
  /** Their numbers, as an array of ClickHouse's SQL. */
  list: string;
  /** The same links as `clicks_by_day` is read for them. */
  hidden: Hidden;
}

/** A row of the answer: what it is about, and the sums. */
export interface FiguresRow {
  /** `day` of UTC, `quarter` of an hour, `source`, `device`, or the `set` of hidden links that was read. */
  kind: 'day' | 'quarter' | 'source' | 'device' | 'set';
  /** Days or seconds since the epoch, or a name. */
  key: string;
  /** One number; of a day or a set, those of each device and then those before its first cut, before its second, … */
  sums: number[];
}

/** More than the days of any window, the quarters of its edges, and the sources that are shown. */
const ROWS_OF_KIND_MAX = 366;
/** Where the row of a set has the number of its links: among the devices, the column `other`. */
const SET_SUM = DEVICES.indexOf('other');
/** Windows up to this many days leave many links out click by click: finding those links in the rollup would take longer. */
const FROM_CLICKS_MAX_DAYS = 2;

/**
 * Settings of {@link figuresStatement}. The first is in ClickHouse since 25.6. The others let a scan of hidden links use two
 * cores and more: it reads few rows, in many places, and by default takes one core for each 160,000 rows.
 */
export const FIGURES_SETTINGS = {
  enable_shared_storage_snapshot_in_query: 1,
  merge_tree_min_rows_for_concurrent_read: '16384',
  merge_tree_min_bytes_for_concurrent_read: '1048576',
} as const;

/** What {@link figuresStatement} reads: whole days of UTC from the rollup, the rest from the clicks. */
function planOf({ boundaries }: ClickQuery, leftOut: LeftOut | null) {
  const [from, to] = [boundaries[0]!, boundaries.at(-1)!];
  const isShort = boundaries.length - 1 <= FROM_CLICKS_MAX_DAYS;
  const fromClicks = isShort && leftOut !== null && changesOf(leftOut.hidden) > READ_ONE_BY_ONE_MAX;
  const days: UtcDays = fromClicks ? { firstDay: 0, endDay: 0, edges: [[from, to]] } : utcDaysOf(from, to);
  const hasDays = days.firstDay < days.endDay;
  return { days, hasDays, cuts: cutsOf(boundaries, days), set: (hasDays && leftOut?.hidden.set) || null };
}

/**
 * One statement: with {@link FIGURES_SETTINGS} all its parts see the same state of a table, so that the sums of all figures
 * are equal. No click is read from both tables. Sources are grouped by number, since the rows of links have no names. `leftOut` is
 * null where no links are hidden.
 */
export function figuresStatement(query: ClickQuery, leftOut: LeftOut | null): string {
  const { days, hasDays, cuts } = planOf(query, leftOut);
  const parts = [
    ...(hasDays ? wholeDaysParts(query, days, cuts, leftOut?.hidden ?? null) : []),
    ...(days.edges.length > 0 ? [edgesPart(query, days.edges, leftOut)] : []),
  ];
  return `
    SELECT kind, if(kind = 'source', max(name), id) AS key, sumForEach(added) AS sums
    FROM (${parts.join(' UNION ALL ')})
    GROUP BY kind, id
    HAVING arrayExists(clicks -> clicks != 0, sums)
    ORDER BY sums[1] DESC, key
    LIMIT ${ROWS_OF_KIND_MAX} BY kind`;
}

/**
 * The figures from the rows of {@link figuresStatement}; null where the sums of the hidden links were gone, or not complete yet,
 * when they were read.
 */
export function figuresOf(query: ClickQuery, leftOut: LeftOut | null, rows: readonly FiguresRow[]): Figures | null {
  const { cuts, days: utcDays, set } = planOf(query, leftOut);
  // The row of the set is taken away with its other rows.
  if (set !== null && -(rows.find(({ kind }) => kind === 'set')?.sums[SET_SUM] ?? 0) !== set.links.size) return null;
  const days = new Map<number, number>();
  const devices = new Map<Device, number>();
  const sources: Figures['sources'] = [];
  const addToDay = (second: number, clicks: number) => add(days, dayOf(query.boundaries, second), clicks);
  for (const { kind, key, sums } of rows) {
    if (kind === 'quarter') addToDay(Number(key), sums[0]!);
    else if (kind === 'device') add(devices, key as Device, sums[0]!);
    else if (kind === 'source') sources.push({ source: key, clicks: sums[0]! });
    else if (kind === 'day') {
      const day = Number(key);
      const byDevice = sums.slice(0, DEVICES.length);
      const beforeCuts = sums.slice(DEVICES.length);
      const total = byDevice.reduce((sum, clicks) => sum + clicks, 0);
      for (const [index, device] of DEVICES.entries()) add(devices, device, byDevice[index]!);
      const begins = [0, ...cuts[day - utcDays.firstDay]!];
      for (const [index, quarter] of begins.entries()) {
        const until = index < begins.length - 1 ? beforeCuts[index]! : total;
        addToDay(secondOf(day, quarter), until - (index === 0 ? 0 : beforeCuts[index - 1]!));
      }
    }
  }
  const counted = [...devices].filter(([, clicks]) => clicks !== 0);
  const total = counted.reduce((sum, [, clicks]) => sum + clicks, 0);
  if (query.source !== null && total !== 0) sources.push({ source: query.source, clicks: total });
  return {
    days,
    devices: counted
      .map(([device, clicks]) => ({ device, clicks }))
      .sort((a, b) => b.clicks - a.clicks || (a.device < b.device ? -1 : 1)),
    sources,
  };
}

/** Clicks of the account less those of the links to leave out, which were stored in the same blocks. */
function wholeDaysParts({ source }: ClickQuery, days: UtcDays, cuts: number[][], hidden: Hidden | null): string[] {
  const beforeCuts = clicksBeforeCuts(days, cuts);
  const sums = [...DEVICES, ...beforeCuts];
  const set = hidden?.set ?? null;
  const inWindow = within(days);
  const mark = set === null ? 'false' : `from_source = '' AND day = ${COMPLETE_DAY}`;
  const parts: string[] = [];
  if (source !== null)
    parts.push(accountPart(sums, set, `${inWindow} AND from_source = {source:String} OR ${mark}`, "''"));
  else if (beforeCuts.length === 0) parts.push(accountPart(sums, set, `${inWindow} OR ${mark}`, 'from_source'));
  else {
    // Where days are cut, the quarters of the sources' rows are not read.
    parts.push(accountPart(sums, set, `${inWindow} AND from_source = '' OR ${mark}`, "''"));
    parts.push(accountPart(DEVICES, set, `${inWindow} AND from_source != ''`, 'from_source'));
  }
  if (hidden !== null && changesOf(hidden) > 0)
    parts.push(source === null ? linksPart(days, sums, hidden) : linksFromSourcePart(days, sums, hidden));
  return parts;
}

/** For each of the days' cuts, what a row of `clicks_by_day` has before it. */
function clicksBeforeCuts(days: UtcDays, cuts: number[][]): string[] {
  const cutsMax = Math.max(0, ...cuts.map((ofDay) => ofDay.length));
  return Array.from({ length: cutsMax }, (_, n) => {
    const cut = `[${nthCuts(cuts, n).join(',')}]::Array(UInt8)[day - toDate(${days.firstDay}) + 1]`;
    return `arraySum((quarter, clicks) -> if(quarter < ${cut}, clicks, 0), \`quartersMap.quarter\`, \`quartersMap.clicks\`)`;
  });
}

/**
 * Of the account, less those of the set: a row for each day of UTC where `name` is empty, and for each source where it is not; and one for
 * the mark of the set, where the condition includes it.
 */
function accountPart(sums: readonly string[], set: HiddenSet | null, condition: string, name: string): string {
  const [links, sign] = set === null ? ['link = 0', '1'] : [`link IN (0, ${set.number})`, 'if(link = 0, 1, -1)'];
  return `
    SELECT multiIf(name != '', 'source', day_number = toUInt16(${COMPLETE_DAY}), 'set', 'day') AS kind,
      if(name != '', toString(cityHash64(name)), toString(day_number)) AS id, name,
      if(name != '', [arraySum(arraySlice(of_days, 1, ${DEVICES.length}))], of_days) AS added
    FROM (
      SELECT ${name}::String AS name, if(name != '', 0, toUInt16(day)) AS day_number,
        [${sums.map((expression) => `sum(${sign} * ${expression})`).join(', ')}] AS of_days
      FROM clicks_by_day
      WHERE account_id = {account:String} AND ${links} AND (${condition})
      GROUP BY name, day_number
    )`;
}

/** Of hidden links that are not in the set, and of links of the set that are not hidden: which, and with which sign. */
function changesIn({ added, removed }: Hidden): { links: string; sign: string } {
  return {
    links: `link IN ${numberList([...added, ...removed])}`,
    sign: removed.length === 0 ? '-1' : `if(link IN ${numberList(removed)}, 1, -1)`,
  };
}

/** A row for each day of UTC, of the links that are not as the set has them. */
function linksFromSourcePart(days: UtcDays, sums: readonly string[], hidden: Hidden): string {
  const { links, sign } = changesIn(hidden);
  return `
    SELECT 'day' AS kind, toString(toUInt16(day)) AS id, '' AS name,
      [${sums.map((expression) => `sum(${sign} * ${expression})`).join(', ')}] AS added
    FROM clicks_by_day
    WHERE account_id = {account:String} AND ${within(days)} AND from_source = {source:String} AND ${links}
    GROUP BY day`;
}

/**
 * Rows for each day's sums and for each source, of the same links. Of one scan, since finding the links costs more than reading them: each
 * row becomes one with a place for each of its sums, and one, at place 0, for each source.
 */
function linksPart(days: UtcDays, sums: readonly string[], hidden: Hidden): string {
  const { links, sign } = changesIn(hidden);
  const places = sums.map((_, index) => index + 1);
  return `
    SELECT if(place = 0, 'source', 'day') AS kind, toString(number) AS id, '' AS name,
      if(place = 0, [total], arrayMap(n -> if(n = place, total, 0), [${places}])) AS added
    FROM (
      SELECT place, number, sum(${sign} * clicks) AS total
      FROM clicks_by_day
      ARRAY JOIN
        arrayConcat([${places}]::Array(UInt8), arrayWithConstant(length(\`sourcesMap.source\`), 0::UInt8)) AS place,
        arrayConcat(arrayWithConstant(${sums.length}, toUInt64(day)), \`sourcesMap.source\`) AS number,
        arrayConcat([${sums.join(', ')}]::Array(Int64), \`sourcesMap.clicks\`) AS clicks
      WHERE account_id = {account:String} AND ${within(days)} AND from_source = '' AND ${links}
      GROUP BY place, number
    )`;
}

/** The clicks in parts of days: a row for each quarter of an hour, each device and, where all are asked for, each source. */
function edgesPart(query: ClickQuery, edges: UtcDays['edges'], leftOut: LeftOut | null): string {
  const { source } = query;
  const ifSource = (value: string) => (source === null ? `from_source != '', ${value},` : '');
  return `
    SELECT multiIf(second != 0, 'quarter', ${ifSource("'source'")} 'device') AS kind,
      multiIf(second != 0, toString(second), ${ifSource('toString(cityHash64(from_source))')} device::String) AS id,
      ${source === null ? 'from_source::String' : "''"} AS name,
      [toInt64(count())] AS added
    FROM (
      SELECT toUInt32(toStartOfFifteenMinutes(clicked_at)) AS second, source AS from_source, device
      FROM clicks
      WHERE ${countedClicks(query, edges)} ${leftOut === null ? '' : `AND cityHash64(link_id) NOT IN ${leftOut.list}`}
    )
    GROUP BY GROUPING SETS ((second), (device)${source === null ? ', (from_source)' : ''})`;
}

function within({ firstDay, endDay }: UtcDays): string {
  return `day >= toDate(${firstDay}) AND day < toDate(${endDay})`;
}

/** The day that a moment is in: the last one that has begun by then, since a day that was skipped has no length. */
function dayOf(boundaries: readonly number[], second: number): number {
  let [low, high] = [0, boundaries.length];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (boundaries[middle]! <= second) low = middle;
    else high = middle;
  }
  return low;
}

function add<Key>(sums: Map<Key, number>, key: Key, clicks: number): void {
  sums.set(key, (sums.get(key) ?? 0) + clicks);
}
