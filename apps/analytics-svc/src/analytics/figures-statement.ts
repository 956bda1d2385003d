import { type Dimension, hasSums, SUMS_BY_QUARTER } from '../database/projections.ts';
import { type ClickQuery, type Span, spanOf } from './click-query.ts';
import { filteredDimensions, inSpan, matching, matchingLinks, type QueryLinks, startedAt } from './conditions.ts';

/** What a row of the figures is about. */
export type FigureKind =
  | 'days'
  | 'hours'
  | 'sources'
  | 'countries'
  | 'browsers'
  | 'operating_systems'
  | 'referrers'
  | 'visitors'
  | 'previous';

/** A row of the result of {@link figuresStatement}. */
export interface FiguresRow {
  kind: FigureKind;
  /** The device (of `days`), source, country, browser, system or referrer; else empty. */
  name: string;
  /** The start of the day (of `days` and `visitors`) or hour, in seconds since the epoch; else 0. */
  started_at: number;
  /** Clicks, or visitors. */
  total: number;
}

/** How a kind of rows is grouped. */
interface Grouping {
  kind: FigureKind;
  dimension: Dimension | null;
  starts: readonly number[] | null;
  span: Span;
}

const LISTS: Partial<Record<FigureKind, Dimension>> = {
  sources: 'source',
  countries: 'country',
  browsers: 'browser',
  operating_systems: 'os',
  referrers: 'referrer',
};

/**
 * Rows of a kind that are read at most: enough for every device on every day of the longest window. Visitors choose
 * sources and referrers, so there may be millions, of which the first 50 are shown.
 */
const ROWS_OF_KIND_MAX = 2_000;

/**
 * Settings of {@link figuresStatement}. The first needs ClickHouse 25.6. The next two let a read of hidden links use
 * several cores: it reads few rows in many places, and by default ClickHouse uses one core for each 160,000 rows. With
 * the last, a scan tests all conditions at once: one after another, most of its time goes into joining the results.
 */
export const FIGURES_SETTINGS = {
  enable_shared_storage_snapshot_in_query: 1,
  merge_tree_min_rows_for_concurrent_read: '16384',
  merge_tree_min_bytes_for_concurrent_read: '1048576',
  enable_multiple_prewhere_read_steps: 0,
} as const;

/**
 * Returns one statement for all figures of a query. With {@link FIGURES_SETTINGS} all its parts read the same state of
 * the table, so the figures add up.
 *
 * What ClickHouse keeps sums of is read from the sums. Everything else is counted from the clicks themselves. The clicks
 * of hidden links are subtracted, because reading them is cheaper than looking for the link of every click.
 */
export function figuresStatement(
  query: ClickQuery,
  links: QueryLinks,
  exactVisitorsMax: number = EXACT_VISITORS_MAX,
): string {
  const groupings = groupingsOf(query);
  const filtered = filteredDimensions(query);
  const isKept = ({ dimension }: Grouping) =>
    links.only === null && hasSums(SUMS_BY_QUARTER, dimension === null ? filtered : [...filtered, dimension]);
  const kept = groupings.filter(isKept);
  const counted = groupings.filter((grouping) => !isKept(grouping));
  const clicks = links.only === null ? matching(query) : matchingLinks(query, links.only);
  const parts = kept.map((grouping) => count(clicks, [grouping]));
  for (const same of bySpan(counted)) parts.push(count(clicks, same));
  if (links.hidden !== null)
    for (const same of bySpan(groupings)) parts.push(count(matchingLinks(query, links.hidden), same, '-1'));
  if (query.parts.has('visitors')) parts.push(visitors(query, links, exactVisitorsMax));
  return `
    SELECT kind, name, started_at, sum(total) AS total
    FROM (${parts.join(' UNION ALL ')})
    GROUP BY kind, name, started_at
    HAVING total != 0
    ORDER BY total DESC, name
    LIMIT ${ROWS_OF_KIND_MAX} BY kind`;
}

function groupingsOf(query: ClickQuery): Grouping[] {
  const span = spanOf(query);
  const groupings: Grouping[] = [{ kind: 'days', dimension: 'device', starts: query.dayStarts, span }];
  if (query.parts.has('hours')) groupings.push({ kind: 'hours', dimension: null, starts: query.hourStarts, span });
  for (const [kind, dimension] of Object.entries(LISTS) as [keyof typeof LISTS, Dimension][])
    if (query.parts.has(kind as never)) groupings.push({ kind, dimension, starts: null, span });
  if (query.previous !== null)
    groupings.push({ kind: 'previous', dimension: null, starts: null, span: query.previous });
  return groupings;
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
  const read = `FROM clicks WHERE ${condition} AND ${inSpan(groupings[0]!.span)}`;
  const total = `${sign} * count()::Int64 AS total`;
  if (groupings.length === 1) {
    const [{ kind, dimension, starts }] = groupings as [Grouping];
    const name = dimension === null ? "''" : `toString(${dimension})`;
    const start = starts === null ? '0' : startedAt(starts);
    return `SELECT '${kind}' AS kind, ${name} AS name, toUInt32(${start}) AS started_at, ${total} ${read} GROUP BY name, started_at`;
  }
  const sets = groupings.map(({ kind, dimension, starts }, index) => {
    const name = dimension === null ? undefined : { key: `name_${index}`, value: dimension };
    const start = starts === null ? undefined : { key: `start_${index}`, value: startedAt(starts) };
    return { kind, name, start, keys: [name, start].filter((key) => key !== undefined) };
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
        sets.map(({ start }) => start?.key),
        'toUInt32(0)',
      )} AS started_at, ${total}
    FROM (SELECT ${columns.join(', ')} ${read})
    GROUP BY GROUPING SETS (${sets.map(({ keys }) => `(${keys.map(({ key }) => key).join(', ')})`).join(', ')})`;
}

/**
 * Clicks that a question may match for its visitors to be counted exactly. Of more clicks, an equal part of the visitors
 * is counted and multiplied: a visitor is a random number, so the error is below 1 % for a day of 100,000 visitors.
 */
export const EXACT_VISITORS_MAX = 10_000_000;

/** Returns the statement that counts the distinct visitors of each day. */
function visitors(query: ClickQuery, links: QueryLinks, exactMax: number): string {
  const span = spanOf(query);
  const matched = links.only === null ? matching(query) : matchingLinks(query, links.only);
  return `
    WITH (SELECT intDiv(count(), ${exactMax}) + 1 FROM clicks
          WHERE ${matched} AND ${inSpan(span)}) AS parts
    SELECT 'visitors' AS kind, '' AS name, ${startedAt(query.dayStarts)} AS started_at,
      (uniqExact(visitor) * parts)::Int64 AS total
    FROM clicks PREWHERE ${matched} AND ${inSpan(span)} AND visitor != 0 AND visitor % parts = 0
    ${links.hidden === null ? '' : `WHERE link NOT IN ${links.hidden.list}`} GROUP BY started_at`;
}
