import { daysBetween, ianaName, isIsoDate } from '../dates.ts';

/** The names of the filters, which are the API's. Their chips have this order. */
export const FILTERS = [
  ...(['link_id', 'hashtag', 'source', 'country', 'language', 'device', 'browser', 'os', 'host'] as const),
  ...(['utm_campaign', 'utm_medium', 'utm_content', 'utm_term'] as const),
];
export type FilterName = (typeof FILTERS)[number];
export type Filters = Partial<Record<FilterName, string>>;

/** What one bar of the chart over time stands for. */
export const UNITS = ['hour', 'day', 'week', 'month'] as const;
export type Unit = (typeof UNITS)[number];

/** The last days, today included, or the days from one date to another, both included. */
export type AnalyticsWindow = { days: number } | { from: string; to: string };

/** What the view shows. All of it is in the address, so that a view can be shared and the back button works. */
export interface AnalyticsSearch {
  window: AnalyticsWindow;
  /** An IANA time zone, or null for the default one. */
  tz: string | null;
  /** Whether the window before is shown, too. */
  compare: boolean;
  /** Null for the unit that suits the window. */
  unit: Unit | null;
  /** Whether the last clicks are shown as they come. */
  live: boolean;
  filters: Filters;
}

export const DEFAULT_DAYS = 30;

/** Returns the number of days of a window. */
export function daysOf(window: AnalyticsWindow): number {
  return 'days' in window ? window.days : daysBetween(window.from, window.to);
}

/**
 * Returns the view of an address. Ignores a parameter that the view cannot use. Keeps one that only the API refuses, such
 * as 999 days, so that the API's message is shown.
 */
export function readSearch(parameters: URLSearchParams): AnalyticsSearch {
  const text = (name: string) => parameters.get(name) || null;
  const from = text('from');
  const to = text('to');
  const days = text('days');
  const zone = text('tz');
  const unit = UNITS.find((each) => each === text('by'));
  const filters: Filters = {};
  for (const name of FILTERS) {
    const value = text(name);
    if (value !== null) filters[name] = value;
  }
  return {
    window:
      from !== null && to !== null && isIsoDate(from) && isIsoDate(to)
        ? { from, to }
        : { days: days !== null && /^\d{1,4}$/.test(days) ? Number(days) : DEFAULT_DAYS },
    tz: zone === null ? null : ianaName(zone),
    compare: text('compare') !== 'no',
    unit: unit ?? null,
    live: text('live') === 'yes',
    filters,
  };
}

/** Returns the parameters of a view's address. Defaults are not in it. {@link readSearch} reads it back. */
export function writeSearch({ window, tz, compare, unit, live, filters }: AnalyticsSearch): URLSearchParams {
  const parameters = new URLSearchParams();
  if ('from' in window) {
    parameters.set('from', window.from);
    parameters.set('to', window.to);
  } else if (window.days !== DEFAULT_DAYS) parameters.set('days', String(window.days));
  if (tz !== null) parameters.set('tz', tz);
  if (!compare) parameters.set('compare', 'no');
  if (unit !== null) parameters.set('by', unit);
  if (live) parameters.set('live', 'yes');
  for (const name of FILTERS) {
    const value = filters[name];
    if (value !== undefined) parameters.set(name, value);
  }
  return parameters;
}

/** Returns the view with a filter set, or without it for null. */
export function withFilter(search: AnalyticsSearch, name: FilterName, value: string | null): AnalyticsSearch {
  const { [name]: _removed, ...others } = search.filters;
  return { ...search, filters: value === null ? others : { ...others, [name]: value } };
}

/** Returns the view with another window, in the unit that suits it. */
export function withWindow(search: AnalyticsSearch, window: AnalyticsWindow): AnalyticsSearch {
  return { ...search, window, unit: null };
}
