import { DEVICES } from '@waymark/contract';
import { COMPLETE_DAY } from '../database/hidden-sets.ts';
import { numberList } from '../database/literals.ts';
import { changesOf, type Hidden, type HiddenSet } from '../hidden-sets/hidden-set.ts';
import { type ClickQuery, countedClicks } from './click-query.ts';
import type { EjectReason, ReadPlan } from './read-plan.ts';
import { nthCuts, type UtcDays } from './utc-days.ts';

/** Enough for the days of any window, the quarter hours at its ends, and the sources that are shown. */
const ROWS_OF_KIND_MAX = 366;
/**
 * Settings of {@link figuresStatement}. The first needs ClickHouse 25.6. The others let a scan of hidden links use
 * several cores: it reads few rows in many places, and by default ClickHouse uses one core for each 160,000 rows.
 */
export const FIGURES_SETTINGS = {
  enable_shared_storage_snapshot_in_query: 1,
  merge_tree_min_rows_for_concurrent_read: '16384',
  merge_tree_min_bytes_for_concurrent_read: '1048576',
} as const;

/**
 * Returns one statement for all figures. With {@link FIGURES_SETTINGS} all its parts see the same state of a table, so
 * days, devices and sources add up to the same total. No click is read from both tables. Sources are grouped by number,
 * because the rows of links have no source names.
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

/**
 * Returns the parts for whole days: the account's clicks minus those of the excluded links. Both were stored in the
 * same blocks, so they always match.
 */
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
    // Cuts need quarter hours only in the rows for all sources, so the rows of single sources are read without them.
    parts.push(accountPart(sums, set, `${inWindow} AND from_source = '' OR ${mark}`, "''"));
    parts.push(accountPart(DEVICES, set, `${inWindow} AND from_source != ''`, 'from_source'));
  }
  if (leftOut !== null && changesOf(leftOut.hidden) > 0)
    parts.push((source === null ? linksPart : linksFromSourcePart)(days, sums, leftOut.hidden));
  return parts;
}

/**
 * Returns one expression for the first cut of each day, one for the second, and so on: the clicks of a row of
 * `clicks_by_day` before that cut.
 */
function clicksBeforeCuts(days: UtcDays, cuts: number[][]): string[] {
  const cutsMax = Math.max(0, ...cuts.map((ofDay) => ofDay.length));
  return Array.from({ length: cutsMax }, (_, n) => {
    const cut = `[${nthCuts(cuts, n).join(',')}]::Array(UInt8)[day - toDate(${days.firstDay}) + 1]`;
    return `arraySum((quarter, clicks) -> if(quarter < ${cut}, clicks, 0), \`quartersMap.quarter\`, \`quartersMap.clicks\`)`;
  });
}

/**
 * Returns the account's clicks minus those of the set. Rows with an empty `name` are summed by UTC day, the others by
 * source. The mark of the set is a row too, if the condition includes it.
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

/** Returns the links that must be added to the set or removed from it, and the sign for their clicks. */
function changesIn({ added, removed }: Hidden): { links: string; sign: string } {
  return {
    links: `link IN ${numberList([...added, ...removed])}`,
    sign: removed.length === 0 ? '-1' : `if(link IN ${numberList(removed)}, 1, -1)`,
  };
}

/** Returns the clicks of one source on links that differ from the set: a row for each UTC day. */
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
 * Returns the clicks of all sources on links that differ from the set: rows for each UTC day and for each source. One
 * scan reads both, because finding the links costs more than reading them. It splits each row into one for each sum
 * (`place` 1 and up) and one for each source (`place` 0).
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

/**
 * Returns the clicks in partial days: a row for each quarter hour, each device and, if all sources are queried, each
 * source.
 */
function edgesPart(query: ClickQuery, edges: UtcDays['edges'], leftOut: EjectReason | null): string {
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
