import Type, { type Static } from 'typebox';
import { AppError } from '../errors.ts';
import { DESTINATION_MAX_LENGTH } from '../links/destination.ts';
import { DOMAIN_MAX_LENGTH } from '../links/domain.ts';
import { HASHTAG_SENT_MAX_LENGTH } from '../links/hashtags.ts';
import { oneOf, text } from '../text.ts';
import { DEVICES } from '../visitors/clients.ts';

/** The parts of an answer that a client may ask for, apart from those that it always has. */
export const ANALYTICS_PARTS = [
  'visitors',
  'countries',
  'browsers',
  'operating_systems',
  'referrers',
  'hours',
  'previous',
  'hosts',
] as const;
export type AnalyticsPart = (typeof ANALYTICS_PARTS)[number];

/** What `fields` may name of an answer. The window and `clicks` are always there. */
export const ANALYTICS_FIELDS = [
  ...['clicks', 'clicks_by_day', 'devices', 'sources', 'top_links', 'visitors', 'countries', 'browsers'],
  ...['operating_systems', 'referrers', 'clicks_by_hour', 'previous', 'hosts', 'cross'],
] as const;

/** What `cross` counts clicks by, two of them at a time. */
export const CROSS_PARTS = ['day', 'source', 'device', 'country', 'browser', 'os', 'host', 'hashtag'] as const;
export type CrossPart = (typeof CROSS_PARTS)[number];

export const TOP_BY = ['clicks', 'growth', 'decline'] as const;
export type TopBy = (typeof TOP_BY)[number];

export const DEFAULT_DAYS = 30;
export const DEFAULT_TOP_LINKS = 10;
export const MAX_TOP_LINKS = 100;
/** The most days from `from` to `to`, both included. */
export const MAX_WINDOW_DAYS = 366;
/** The first date that a window can have. No click is older than this software, so an earlier one is a mistake. */
export const EARLIEST_DATE = '1970-01-01';
/** The most days that `hours` can be asked for. */
export const MAX_DAYS_WITH_HOURS = 31;

/** A name that the analytics report, in any case. The format says which ones can occur. */
const name = (format: string, description: string, example: string) =>
  Type.Optional(Type.String({ minLength: 1, maxLength: 255, format, description, examples: [example] }));
const date = (description: string) =>
  Type.Optional(Type.String({ maxLength: 40, format: 'iso-date', description, examples: ['2026-11-01'] }));

/** The query of `GET /api/v1/analytics`, and the arguments of the tool `get_analytics`. */
export const AnalyticsQuery = Type.Object(
  {
    days: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 365,
        description: `Length of the window in whole days, today included; ${DEFAULT_DAYS} if no window is sent.`,
      }),
    ),
    from: date('First day of the window, instead of `days`.'),
    to: date('Last day of the window.'),
    tz: Type.String({
      minLength: 1,
      maxLength: 64,
      format: 'iana-time-zone',
      default: 'UTC',
      description: 'IANA time zone of the days.',
      examples: ['Europe/Berlin'],
    }),
    source: Type.Optional(text(1, 255, { description: 'Only clicks from this source.', examples: ['google.com'] })),
    link_id: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: DESTINATION_MAX_LENGTH,
        description: 'Only clicks of this link: its id, slug or short URL.',
      }),
    ),
    hashtag: Type.Optional(
      Type.String({
        maxLength: HASHTAG_SENT_MAX_LENGTH,
        format: 'hashtag',
        description: 'Only clicks of links that have it now.',
        examples: ['summer'],
      }),
    ),
    device: name('device', `Only clicks with this device: ${DEVICES.join(', ')}.`, 'mobile'),
    country: name('country', 'Only clicks from this country, an ISO 3166-1 alpha-2 code; `unknown` for null.', 'DE'),
    browser: name('browser', 'Only clicks with this browser.', 'Firefox'),
    os: name('operating-system', 'Only clicks with this operating system.', 'Android'),
    host: Type.Optional(
      Type.String({
        maxLength: DOMAIN_MAX_LENGTH,
        format: 'host',
        description: 'Only clicks on this short host; `default` for those on the default host.',
        examples: ['default'],
      }),
    ),
    include: Type.Optional(
      Type.String({
        maxLength: ANALYTICS_PARTS.join().length,
        format: 'analytics-parts',
        description: `Further parts, comma-separated: ${ANALYTICS_PARTS.join(', ')}.`,
        examples: ['countries,previous'],
      }),
    ),
    cross: Type.Optional(
      Type.String({
        maxLength: CROSS_PARTS.join().length,
        format: 'analytics-cross',
        description: `Clicks by two of ${CROSS_PARTS.join(', ')} together, comma-separated.`,
        examples: ['source,country'],
      }),
    ),
    fields: Type.Optional(
      Type.String({
        maxLength: 300,
        format: 'analytics-fields',
        description: `Only these parts of the response, comma-separated, also those that \`include\` would add: ${ANALYTICS_FIELDS.join(', ')}. The window and \`clicks\` are always included.`,
        examples: ['sources,countries'],
      }),
    ),
    top: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: MAX_TOP_LINKS,
        description: `How many top_links; ${DEFAULT_TOP_LINKS} if not sent.`,
      }),
    ),
    top_by: Type.Optional(
      oneOf(TOP_BY, { description: 'Order of top_links; growth and decline need include=previous.' }),
    ),
  },
  { additionalProperties: false },
);
export type AnalyticsQuery = Static<typeof AnalyticsQuery>;

/** What decides which parts an answer has. */
export interface AskedParts {
  include?: string | undefined;
  fields?: string | undefined;
}

/** Returns the further parts that a valid query asks for, by `include` or by `fields`. */
export function analyticsParts({ include, fields }: AskedParts): Set<AnalyticsPart> {
  const named = namesIn(fields).map((name) => (name === 'clicks_by_hour' ? 'hours' : name));
  return new Set([...namesIn(include), ...named].filter((name) => isAmong(name, ANALYTICS_PARTS)));
}

function namesIn(list: string | undefined): string[] {
  return list?.split(',') ?? [];
}

function isAmong<Name extends string>(name: string, names: readonly Name[]): name is Name {
  return (names as readonly string[]).includes(name);
}

/** Returns the two parts of a valid `cross`. */
export function crossParts(cross: string): [CrossPart, CrossPart] {
  return cross.split(',') as [CrossPart, CrossPart];
}

/** Returns true if the text names two different ones of {@link CROSS_PARTS}, comma-separated. */
export function isCross(cross: string): boolean {
  const parts = cross.split(',');
  return parts.length === 2 && parts[0] !== parts[1] && parts.every((part) => isAmong(part, CROSS_PARTS));
}

/** Returns true if the text names parts of {@link ANALYTICS_PARTS}, comma-separated and each at most once. */
export function isAnalyticsParts(include: string): boolean {
  const parts = include.split(',');
  return new Set(parts).size === parts.length && parts.every((part) => isAmong(part, ANALYTICS_PARTS));
}

/** Returns true if the text names fields of {@link ANALYTICS_FIELDS}, comma-separated. */
export function areAnalyticsFields(fields: string): boolean {
  return namesIn(fields).every((name) => isAmong(name, ANALYTICS_FIELDS));
}

/** Returns true for a date of the calendar, such as 2026-02-28. */
export function isIsoDate(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return false;
  const date = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
}

/**
 * Returns the first and last date of the window of a query. `today` is the date in the query's time zone.
 * @throws {AppError} `invalid` if the parameters do not fit together.
 */
export function analyticsWindow(
  { days, from, to, include, fields, cross, top_by }: AnalyticsQuery,
  today: string,
): { days: number; from: string; to: string } {
  const parts = analyticsParts({ include, fields });
  if (days !== undefined && (from !== undefined || to !== undefined))
    throw invalid('Send either "days" or "from" and "to", not both.');
  if ((from === undefined) !== (to === undefined))
    throw invalid(`"from" and "to" must be sent together; "${from === undefined ? 'from' : 'to'}" is missing.`);
  if (top_by !== undefined && top_by !== 'clicks' && !parts.has('previous'))
    throw invalid(`"top_by" can be ${top_by} only with "previous" in "include".`);
  const window =
    from !== undefined && to !== undefined
      ? { days: daysFromTo(from, to), from, to }
      : { days: days ?? DEFAULT_DAYS, from: addDays(today, 1 - (days ?? DEFAULT_DAYS)), to: today };
  if (window.days < 1) throw invalid(`"from" must not be after "to"; you sent ${window.from} and ${window.to}.`);
  if (window.from < EARLIEST_DATE)
    throw invalid(`"from" must not be before ${EARLIEST_DATE}; you sent ${window.from}.`);
  if (window.days > MAX_WINDOW_DAYS)
    throw invalid(`"from" and "to" must span at most ${MAX_WINDOW_DAYS} days; you sent ${window.days}.`);
  if (window.to > today) throw invalid(`"to" must not be after today, ${today}; you sent ${window.to}.`);
  if (parts.has('hours') && window.days > MAX_DAYS_WITH_HOURS)
    throw invalid(`${hoursName(include)} for at most ${MAX_DAYS_WITH_HOURS} days; the window has ${window.days}.`);
  if (cross === undefined && namesIn(fields).includes('cross'))
    throw invalid('"fields" can have cross only with the parameter "cross".');
  return window;
}

function hoursName(include: string | undefined): string {
  return namesIn(include).includes('hours') ? '"include" can have hours' : '"fields" can have clicks_by_hour';
}

const DAY_MS = 86_400_000;

/** Returns the date `days` days after an ISO date. */
export function addDays(date: string, days: number): string {
  return new Date(Date.parse(date) + days * DAY_MS).toISOString().slice(0, 10);
}

function daysFromTo(from: string, to: string): number {
  return (Date.parse(to) - Date.parse(from)) / DAY_MS + 1;
}

function invalid(message: string): AppError {
  return new AppError('invalid', message);
}
