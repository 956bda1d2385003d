import { type CrossPart, DEVICES, isUtmName, type TopBy } from '@waymark/contract';
import { type Dimension, hasSums, SUMS_BY_LINK_AND_DAY, SUMS_BY_QUARTER, UTC_DAY } from '../database/projections.ts';
import { type ClickQuery, type Span, spanOf } from './click-query.ts';
import {
  filteredDimensions,
  inSpan,
  LISTED,
  linkNumbersAs,
  matching,
  matchingListed,
  notCounted,
  startedAt,
} from './conditions.ts';
import { crossedWithHashtags, crossOrder, taggedLinks } from './hashtags-statement.ts';

/** What a row of the figures is about. */
export type FigureKind =
  | 'days'
  | 'hours'
  | 'sources'
  | 'countries'
  | 'browsers'
  | 'operating_systems'
  | 'referrers'
  | 'hosts'
  | 'languages'
  | 'utm_campaigns'
  | 'utm_mediums'
  | 'utm_contents'
  | 'utm_terms'
  | 'verdicts'
  | 'links'
  | 'visitors'
  | 'previous'
  | 'cross';

/** A row of the result of {@link figuresStatement}. */
export interface FiguresRow {
  kind: FigureKind;
  /**
   * The device (of `days` and `previous`), verdict, number of a link, first name of `cross` that is no day, or name of
   * a list; else empty.
   */
  name: string;
  /** The second name of `cross` that is no day; else empty. */
  second: string;
  /** The start of the day (of `days`, `visitors` and `cross`) or hour, in seconds since the epoch; else 0. */
  started_at: number;
  /** Clicks, visitors, or requests (of `verdicts`). */
  total: number;
  /** Clicks in the window before (of `links` and `previous`); else 0. */
  before: number;
}

/** How a kind of rows is grouped. */
interface Grouping {
  kind: FigureKind;
  /** At most two. */
  dimensions: readonly (Dimension | 'link' | 'verdict')[];
  starts: readonly number[] | null;
  span: Span;
  /** What the clicks are added to. */
  column: 'total' | 'before';
}

const LISTS: Partial<Record<FigureKind, Dimension>> = {
  sources: 'source',
  countries: 'country',
  browsers: 'browser',
  operating_systems: 'os',
  referrers: 'referrer',
  hosts: 'host',
  languages: 'language',
  utm_campaigns: 'utm_campaign',
  utm_mediums: 'utm_medium',
  utm_contents: 'utm_content',
  utm_terms: 'utm_term',
};

/**
 * The most names that ClickHouse returns for a list: sources, referrers, or the links among which the top links are. It is
 * more than is shown. Without it there could be millions, because visitors choose sources and referrers. Of links with as
 * many clicks as the last one, those with the lowest numbers are returned.
 */
const NAMES_MAX = 400;

/** What the rows of a kind are ordered by. Only links have clicks in both windows. */
const ORDERS: Record<TopBy, string> = {
  clicks: 'total',
  growth: 'total - before',
  decline: "if(kind = 'links', before - total, total)",
};

/**
 * Returns one statement for all figures of a query. With `FIGURES_SETTINGS`, all its parts read the same state of
 * the table, so the figures add up.
 *
 * What ClickHouse keeps sums of is read from the sums. Everything else is counted from the clicks themselves. The clicks
 * of hidden links are subtracted, because reading them is cheaper than looking for the link of every click.
 */
export function figuresStatement(query: ClickQuery, exactVisitorsMax: number = EXACT_VISITORS_MAX): string {
  const groupings = groupingsOf(query);
  const { onlyLinks, hiddenLinks } = query;
  const hidesLinks = onlyLinks === null && hiddenLinks.length > 0;
  const clicks = onlyLinks === null ? matching(query) : matchingListed(query);
  const parts: string[] = [];
  const counted: Grouping[] = [];
  for (const grouping of groupings) {
    const { dimensions, span } = grouping;
    if (onlyLinks !== null) counted.push(grouping);
    else if (dimensions.includes('link')) {
      const { days, rest } = splitByDays(query, span);
      if (days !== null) parts.push(count(`${clicks} AND ${days}`, [grouping]));
      counted.push(...rest.map((span) => ({ ...grouping, span })));
    } else if (hasSums(SUMS_BY_QUARTER, [...filteredDimensions(query), ...(dimensions as Dimension[])]))
      parts.push(count(`${clicks} AND ${inSpan(span)}`, [grouping]));
    else counted.push(grouping);
  }
  for (const same of bySpan(counted)) parts.push(count(`${clicks} AND ${inSpan(same[0]!.span)}`, same));
  if (hidesLinks) {
    const hidden = matchingListed(query);
    for (const same of bySpan(groupings)) parts.push(count(`${hidden} AND ${inSpan(same[0]!.span)}`, same, '-1'));
  }
  if (query.parts.has('verdicts')) parts.push(...verdicts(query, hidesLinks));
  if (query.parts.has('visitors')) parts.push(visitors(query, clicks, hidesLinks, exactVisitorsMax));
  const scalars: string[] = [];
  if (onlyLinks !== null || hidesLinks) scalars.push(linkNumbersAs('listed', (onlyLinks ?? hiddenLinks).join()));
  if (query.hashtags !== null && query.hashtags.linkIds !== '') {
    scalars.push(taggedLinks(query.hashtags));
    parts.push(crossedWithHashtags(query, query.hashtags, hidesLinks));
  }
  return `
    ${scalars.length > 0 ? `WITH ${scalars.join(', ')}` : ''}
    SELECT kind, name, second, started_at, sum(total) AS total, sum(before) AS before
    FROM (${parts.join(' UNION ALL ')})
    GROUP BY kind, name, second, started_at
    HAVING ${['(total != 0 OR before != 0)', ...withUtm(query)].join(' AND ')}
    ORDER BY ${ORDERS[query.topBy]} DESC, ${crossOrder(query)}
    LIMIT ${Math.max(NAMES_MAX, DEVICES.length * query.dayStarts.length, query.hourStarts.length)} BY kind`;
}

function groupingsOf(query: ClickQuery): Grouping[] {
  const window = { span: spanOf(query), column: 'total' } as const;
  const groupings: Grouping[] = [{ kind: 'days', dimensions: ['device'], starts: query.dayStarts, ...window }];
  if (query.parts.has('links')) groupings.push({ kind: 'links', dimensions: ['link'], starts: null, ...window });
  if (query.parts.has('hours')) groupings.push({ kind: 'hours', dimensions: [], starts: query.hourStarts, ...window });
  for (const [kind, dimension] of Object.entries(LISTS) as [keyof typeof LISTS, Dimension][])
    if (query.parts.has(kind as never)) groupings.push({ kind, dimensions: [dimension], starts: null, ...window });
  if (query.cross !== null && !query.cross.includes('hashtag'))
    groupings.push({ kind: 'cross', ...crossedBy(query, query.cross), ...window });
  if (query.previous !== null) {
    const before = { starts: null, span: query.previous, column: 'before' } as const;
    groupings.push({ kind: 'previous', dimensions: ['device'], ...before });
    if (query.parts.has('links')) groupings.push({ kind: 'links', dimensions: ['link'], ...before });
  }
  return groupings;
}

/** Returns what the clicks of a pair of parts without `hashtag` are grouped by. */
function crossedBy({ dayStarts }: ClickQuery, cross: readonly CrossPart[]): Pick<Grouping, 'dimensions' | 'starts'> {
  return {
    dimensions: cross.filter((part) => part !== 'day' && part !== 'hashtag'),
    starts: cross.includes('day') ? dayStarts : null,
  };
}

/** Returns the conditions that exclude from `cross` what has no `utm_…` of the pair. */
function withUtm({ cross }: ClickQuery): string[] {
  if (cross === null || cross.includes('hashtag')) return [];
  const names = cross.filter((part) => part !== 'day');
  return names.flatMap((part, n) => (isUtmName(part) ? [`(kind != 'cross' OR ${['name', 'second'][n]} != '')`] : []));
}

const DAY_SECONDS = 86_400;

/**
 * Returns the condition for the whole UTC days of a span, which the sums by link and day have, and the rest of the span.
 * If the sums lack a dimension that the query filters by, the rest is all of the span.
 */
function splitByDays(query: ClickQuery, span: Span): { days: string | null; rest: Span[] } {
  const first = Math.ceil(span.from / DAY_SECONDS);
  const end = Math.floor(span.to / DAY_SECONDS);
  if (first >= end || !hasSums(SUMS_BY_LINK_AND_DAY, filteredDimensions(query))) return { days: null, rest: [span] };
  return {
    days: `${UTC_DAY} >= toDate(${first}) AND ${UTC_DAY} < toDate(${end})`,
    rest: [
      { from: span.from, to: first * DAY_SECONDS },
      { from: end * DAY_SECONDS, to: span.to },
    ].filter(({ from, to }) => from < to),
  };
}

/** Returns the groupings of each span of time together. */
function bySpan(groupings: readonly Grouping[]): Grouping[][] {
  return [...Map.groupBy(groupings, ({ span }) => `${span.from} ${span.to}`).values()];
}

/**
 * Returns the statement that counts the clicks of a condition by each of the groupings, of one span of time. Several
 * groupings share one read. Names become texts after they are grouped, because grouping by numbers is faster.
 */
function count(condition: string, groupings: readonly Grouping[], sign: '1' | '-1' = '1'): string {
  const read = `FROM clicks WHERE ${condition}`;
  const clicks = `${sign} * count()::Int64`;
  const totals =
    groupings[0]!.column === 'total' ? `${clicks} AS total, 0 AS before` : `0 AS total, ${clicks} AS before`;
  if (groupings.length === 1) {
    const [{ kind, dimensions, starts }] = groupings as [Grouping];
    const [name, second] = [0, 1].map((n) => (dimensions[n] === undefined ? "''" : `toString(${dimensions[n]})`));
    const start = starts === null ? '0' : startedAt(starts);
    return `SELECT '${kind}' AS kind, ${name} AS name, ${second} AS second, toUInt32(${start}) AS started_at, ${totals} ${read} GROUP BY name, second, started_at`;
  }
  const sets = groupings.map(({ kind, dimensions, starts }, index) => {
    const [name, second] = dimensions.map((value, n) => ({ key: `name_${index}_${n}`, value }));
    const start = starts === null ? undefined : { key: `start_${index}`, value: startedAt(starts) };
    return { kind, name, second, start, keys: [name, second, start].filter((key) => key !== undefined) };
  });
  const columns = sets.flatMap(({ keys }) => keys.map(({ key, value }) => `${value} AS ${key}`));
  const bySet = (values: (string | undefined)[], none: string) =>
    `multiIf(${sets.map(({ keys }, n) => `grouping(${keys[0]!.key}) = 0, ${values[n] ?? none}, `).join('')}${none})`;
  return `SELECT ${bySet(
    sets.map(({ kind }) => `'${kind}'`),
    "''",
  )} AS kind,
      ${bySet(
        sets.map(({ name }) => name && `toString(${name.key})`),
        "''",
      )} AS name,
      ${bySet(
        sets.map(({ second }) => second && `toString(${second.key})`),
        "''",
      )} AS second,
      ${bySet(
        sets.map(({ start }) => start?.key),
        'toUInt32(0)',
      )} AS started_at, ${totals}
    FROM (SELECT ${columns.join(', ')} ${read})
    GROUP BY GROUPING SETS (${sets.map(({ keys }) => `(${keys.map(({ key }) => key).join(', ')})`).join(', ')})`;
}

/** Returns the statements that count what does not count as a click, by verdict. */
function verdicts(query: ClickQuery, hidesLinks: boolean): string[] {
  const span = spanOf(query);
  const grouping = { kind: 'verdicts', dimensions: ['verdict'], starts: null, span, column: 'total' } as const;
  const ofListed = (sign: '1' | '-1') => {
    const { days, rest } = splitByDays(query, span);
    const spans = [...(days === null ? [] : [days]), ...rest.map(inSpan)];
    return spans.map((one) => count(`${notCounted(query)} AND link IN ${LISTED} AND ${one}`, [grouping], sign));
  };
  if (query.onlyLinks !== null) return ofListed('1');
  return [count(`${notCounted(query)} AND ${inSpan(span)}`, [grouping]), ...(hidesLinks ? ofListed('-1') : [])];
}

/**
 * Clicks that a question may match for its visitors to be counted exactly. Of more clicks, an equal part of the visitors
 * is counted and multiplied: a visitor is a random number, so the error is below 1 % for a day of 100,000 visitors.
 */
export const EXACT_VISITORS_MAX = 10_000_000;

/**
 * Returns the statement that counts the distinct visitors of each day among these clicks, without those of the listed
 * links if the query hides them.
 */
function visitors(query: ClickQuery, clicks: string, hidesLinks: boolean, exactMax: number): string {
  const span = spanOf(query);
  return `
    WITH (SELECT intDiv(count(), ${exactMax}) + 1 FROM clicks
          WHERE ${clicks} AND ${inSpan(span)}) AS parts
    SELECT 'visitors' AS kind, '' AS name, '' AS second, ${startedAt(query.dayStarts)} AS started_at,
      (uniqExact(visitor) * parts)::Int64 AS total, 0 AS before
    FROM clicks PREWHERE ${clicks} AND ${inSpan(span)} AND visitor != 0 AND visitor % parts = 0
    ${hidesLinks ? `WHERE link NOT IN ${LISTED}` : ''} GROUP BY started_at`;
}
