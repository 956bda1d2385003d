import { DEVICES } from '@waymark/contract';
import { COMPLETE_DAY } from '../database/hidden-sets.ts';
import { numberList } from '../database/literals.ts';
import { changesOf, type Hidden, type HiddenSet } from '../hidden-sets/hidden-set.ts';
import { type ClickQuery, countedClicks } from './click-query.ts';
import type { LeftOut, ReadPlan } from './read-plan.ts';
import { nthCuts, type UtcDays } from './utc-days.ts';

/** More than the days of any window, the quarters of its edges, and the sources that are shown. */
const ROWS_OF_KIND_MAX = 366;
/**
 * Settings of {@link figuresStatement}. The first is in ClickHouse since 25.6. The others let a scan of hidden links use two
 * cores and more: it reads few rows, in many places, and by default takes one core for each 160,000 rows.
 */
export const FIGURES_SETTINGS = {
  enable_shared_storage_snapshot_in_query: 1,
  merge_tree_min_rows_for_concurrent_read: '16384',
  merge_tree_min_bytes_for_concurrent_read: '1048576',
} as const;

/**
 * One statement: with {@link FIGURES_SETTINGS} all its parts see the same state of a table, so that the sums of all figures
 * are equal. No click is read from both tables. Sources are grouped by number, since the rows of links have no names.
 */
export function figuresStatement(query: ClickQuery, plan: ReadPlan): string {
  const { days, leftOut } = plan;
  const parts = [
    ...(days.firstDay < days.endDay ? wholeDaysParts(query, plan) : []),
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

/** Clicks of the account less those of the links to leave out, which were stored in the same blocks. */
function wholeDaysParts({ source }: ClickQuery, { days, cuts, set, leftOut }: ReadPlan): string[] {
  const beforeCuts = clicksBeforeCuts(days, cuts);
  const sums = [...DEVICES, ...beforeCuts];
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
  if (leftOut !== null && changesOf(leftOut.hidden) > 0)
    parts.push((source === null ? linksPart : linksFromSourcePart)(days, sums, leftOut.hidden));
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
      SELECT ${name} AS name, if(name != '', 0, toUInt16(day)) AS day_number,
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
      WHERE ${countedClicks(query, edges)} ${leftOut === null ? '' : `AND link NOT IN ${leftOut.list}`}
    )
    GROUP BY GROUPING SETS ((second), (device)${source === null ? ', (from_source)' : ''})`;
}

function within({ firstDay, endDay }: UtcDays): string {
  return `day >= toDate(${firstDay}) AND day < toDate(${endDay})`;
}
