import { DEVICES, type Device } from '@waymark/contract';
import { linkNumbers, stringList } from '../database/literals.ts';
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

/** A row of the answer: what it is about, and the sums. */
export interface FiguresRow {
  /** `day` of UTC, `quarter` of an hour, `source` or `device`. */
  kind: 'day' | 'quarter' | 'source' | 'device';
  /** Days or seconds since the epoch, or a name. */
  key: string;
  /** One number; of a day, those of each device and then those before its first cut, before its second, … */
  sums: number[];
}

/** More than the days of any window, the quarters of its edges, and the sources that are shown. */
const ROWS_OF_KIND_MAX = 366;
/** Windows up to this many days leave links out click by click: finding those links in the rollup would take longer. */
const FROM_CLICKS_MAX_DAYS = 2;

/** Settings of {@link figuresStatement}; ClickHouse has this one since 25.6. */
export const ONE_STATE = { enable_shared_storage_snapshot_in_query: 1 } as const;

/** What {@link figuresStatement} reads: whole days of UTC from the rollup, the rest from the clicks. */
function planOf({ boundaries, hiddenLinks }: ClickQuery) {
  const [from, to] = [boundaries[0]!, boundaries.at(-1)!];
  const short = boundaries.length - 1 <= FROM_CLICKS_MAX_DAYS && hiddenLinks.length > 0;
  const days: UtcDays = short ? { firstDay: 0, endDay: 0, edges: [[from, to]] } : utcDaysOf(from, to);
  return { days, cuts: cutsOf(boundaries, days) };
}

/**
 * One statement: with {@link ONE_STATE} all its parts see the same state of a table, so that the sums of all figures are
 * equal. No click is read from both tables.
 */
export function figuresStatement(query: ClickQuery): string {
  const { days, cuts } = planOf(query);
  const parts = [
    ...(days.firstDay < days.endDay ? [daysPart(query, days, cuts)] : []),
    ...(days.firstDay < days.endDay && query.source === null ? [sourcesPart(query, days)] : []),
    ...days.edges.map((edge) => edgePart(query, edge)),
  ];
  return `
    SELECT kind, key, sumForEach(added) AS sums
    FROM (${parts.join(' UNION ALL ')})
    GROUP BY kind, key
    HAVING arrayExists(clicks -> clicks != 0, sums)
    ORDER BY sums[1] DESC, key
    LIMIT ${ROWS_OF_KIND_MAX} BY kind`;
}

/** The figures from the rows of {@link figuresStatement}. */
export function figuresOf(query: ClickQuery, rows: readonly FiguresRow[]): Figures {
  const { cuts, days: utcDays } = planOf(query);
  const days = new Map<number, number>();
  const devices = new Map<Device, number>();
  const sources: Figures['sources'] = [];
  const addToDay = (second: number, clicks: number) => add(days, dayOf(query.boundaries, second), clicks);
  for (const { kind, key, sums } of rows) {
    if (kind === 'quarter') addToDay(Number(key), sums[0]!);
    else if (kind === 'device') add(devices, key as Device, sums[0]!);
    else if (kind === 'source') sources.push({ source: key, clicks: sums[0]! });
    else {
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

/** A row for each day of UTC: clicks of the account less those of the links to leave out, stored in the same blocks. */
function daysPart({ hiddenLinks }: ClickQuery, days: UtcDays, cuts: number[][]): string {
  const hidden = hiddenLinks.length > 0;
  const signed = (expression: string) => (hidden ? `sum(if(link = 0, 1, -1) * ${expression})` : `sum(${expression})`);
  const cutsMax = Math.max(0, ...cuts.map((ofDay) => ofDay.length));
  const beforeCuts = Array.from({ length: cutsMax }, (_, n) => {
    const cut = `[${nthCuts(cuts, n).join(',')}]::Array(UInt8)[day - toDate(${days.firstDay}) + 1]`;
    return `arraySum((quarter, clicks) -> if(quarter < ${cut}, clicks, 0), \`quartersMap.quarter\`, \`quartersMap.clicks\`)`;
  });
  return `
    SELECT 'day' AS kind, toString(toUInt16(day)) AS key, [${[...DEVICES, ...beforeCuts].map(signed).join(', ')}] AS added
    FROM clicks_by_day
    WHERE ${ofDays(days)} AND from_source = {source:String}
      AND ${hidden ? `link IN (SELECT 0::UInt64 UNION ALL ${linkNumbers(hiddenLinks)})` : 'link = 0'}
    GROUP BY day`;
}

/** A row for each source: its clicks less those that the links to leave out have from it. */
function sourcesPart({ hiddenLinks }: ClickQuery, days: UtcDays): string {
  const all = `
    SELECT cityHash64(from_source) AS number, from_source::String AS name, sum(desktop + mobile + tablet + other) AS total
    FROM clicks_by_day
    WHERE ${ofDays(days)} AND from_source != '' AND link = 0
    GROUP BY from_source`;
  const hidden = `
    SELECT source AS number, '' AS name, -sum(clicks) AS total
    FROM clicks_by_day ARRAY JOIN \`sourcesMap.source\` AS source, \`sourcesMap.clicks\` AS clicks
    WHERE ${ofDays(days)} AND from_source = '' AND link IN ${linkNumbers(hiddenLinks)}
    GROUP BY source`;
  return `
    SELECT 'source' AS kind, max(name) AS key, [sum(total)] AS added
    FROM (${hiddenLinks.length === 0 ? all : `${all} UNION ALL ${hidden}`})
    GROUP BY number`;
}

/** The clicks in a part of a day: a row for each quarter of an hour, each device and, where all are asked for, each source. */
function edgePart(query: ClickQuery, edge: readonly [number, number]): string {
  const { source, hiddenLinks } = query;
  const ifSource = (value: string) => (source === null ? `name != '', ${value},` : '');
  return `
    SELECT multiIf(second != 0, 'quarter', ${ifSource("'source'")} 'device') AS kind,
      multiIf(second != 0, toString(second), ${ifSource('name::String')} device::String) AS key,
      [toInt64(count())] AS added
    FROM (
      SELECT toUInt32(toStartOfFifteenMinutes(clicked_at)) AS second, source AS name, device
      FROM clicks
      WHERE ${countedClicks(query, edge)}
        ${hiddenLinks.length === 0 ? '' : `AND link_id NOT IN (${stringList(hiddenLinks)})`}
    )
    GROUP BY GROUPING SETS ((second), (device)${source === null ? ', (name)' : ''})`;
}

function ofDays({ firstDay, endDay }: UtcDays): string {
  return `account_id = {account:String} AND day >= toDate(${firstDay}) AND day < toDate(${endDay})`;
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
