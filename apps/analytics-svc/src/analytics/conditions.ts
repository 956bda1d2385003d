import { stringLiteral } from '../database/literals.ts';
import { DIMENSIONS, type Dimension, type DimensionFilters } from '../database/projections.ts';
import type { ClickQuery, Span } from './click-query.ts';

/** Names are compared in lower case. Those that are not lowered here are stored so, or are codes. */
const COMPARED: Record<keyof DimensionFilters, string> = {
  source: 'source',
  device: 'device',
  country: 'country',
  browser: 'lower(browser)',
  os: 'lower(os)',
  host: 'host',
  language: 'language',
  utm_campaign: 'utm_campaign',
  utm_medium: 'utm_medium',
  utm_content: 'utm_content',
  utm_term: 'utm_term',
};

/** Returns the dimensions that a query filters by. */
export function filteredDimensions({ filters }: ClickQuery): Dimension[] {
  return DIMENSIONS.filter((dimension) => filters[dimension as keyof DimensionFilters] !== undefined);
}

/** The condition for all counted clicks of the account. */
export const ofAccount = "account_id = {account:String} AND verdict = 'counted'";

/** The numbers in the table of the links of the scalar `listed`, as a subquery for use after `IN`. */
export const LISTED = '(SELECT arrayJoin(listed))';

/**
 * Returns the array of the texts of a comma-separated list, which may have megabytes. It is one literal, because ClickHouse
 * takes seconds to parse as many as there may be texts. ClickHouse names a column by the constants that it is computed
 * from. Names of megabytes are slow, so the list is not a constant. Read it from a subquery, which gives it a short name.
 */
export function textsOf(list: string): string {
  return `splitByChar(',', materialize(${stringLiteral(list)}))`;
}

/** Returns the scalar of this name for a statement: an array of the numbers of links in the table. There is at least one. */
export function linkNumbersAs(name: string, linkIds: string): string {
  return `(SELECT arrayMap(id -> cityHash64(id), ids) FROM (SELECT ${textsOf(linkIds)} AS ids)) AS ${name}`;
}

/** Returns the condition for the counted clicks of the account with the filters, of any link and time. */
export function matching(query: ClickQuery): string {
  return [ofAccount, ...filtersOf(query)].join(' AND ');
}

/** Returns the same condition for the clicks of some links only: `links` is a subquery of their numbers. */
export function matchingOf(links: string, query: ClickQuery): string {
  return [`account_id = {account:String} AND counted AND link IN ${links}`, ...filtersOf(query)].join(' AND ');
}

/** Returns the same condition for the clicks of the listed links only. */
export function matchingListed(query: ClickQuery): string {
  return matchingOf(LISTED, query);
}

/** Returns the condition for what does not count as a click, of the account with the filters, of any link and time. */
export function notCounted(query: ClickQuery): string {
  return ["account_id = {account:String} AND verdict != 'counted'", ...filtersOf(query)].join(' AND ');
}

function filtersOf({ filters }: ClickQuery): string[] {
  return Object.keys(filters).map(
    (dimension) => `${COMPARED[dimension as keyof DimensionFilters]} = {${dimension}:String}`,
  );
}

/** Returns the values of the placeholders in these conditions. */
export function parametersOf({ accountId, filters }: ClickQuery): Record<string, string> {
  return { account: accountId, ...filters };
}

/** Returns the condition for a span of time. */
export function inSpan({ from, to }: Span): string {
  return `quarter >= toDateTime(${from}, 'UTC') AND quarter < toDateTime(${to}, 'UTC')`;
}

/**
 * Returns the start of the day or hour of a click, in seconds since the epoch. Division is several times cheaper than a
 * search among the starts, and nearly all days of a zone have the same length.
 */
export function startedAt(starts: readonly number[]): string {
  const second = 'toUInt32(quarter)';
  const runs = runsOf(starts).map(
    ({ first, step }) => [first, `${first} + intDiv(${second} - ${first}, ${step}) * ${step}`] as const,
  );
  const earlier = runs.slice(0, -1).map(([, start], index) => `${second} < ${runs[index + 1]![0]}, ${start}, `);
  // All days are empty if the zone skipped them. Then no click is read.
  const last = runs.at(-1)?.[1] ?? starts[0];
  return `toUInt32(${earlier.length === 0 ? last : `multiIf(${earlier.join('')}${last})`})`;
}

/** Splits ascending numbers into runs with equal steps. Skips empty steps. The last number is the end of the last run. */
function runsOf(starts: readonly number[]): { first: number; step: number }[] {
  const runs: { first: number; step: number }[] = [];
  for (let index = 0; index + 1 < starts.length; index++) {
    const step = starts[index + 1]! - starts[index]!;
    if (step > 0 && step !== runs.at(-1)?.step) runs.push({ first: starts[index]!, step });
  }
  return runs;
}
