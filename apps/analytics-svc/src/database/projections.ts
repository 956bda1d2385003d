import { UTM_NAMES } from '@waymark/contract';

/** The columns of `clicks` that questions group and filter by, apart from the link and the time. */
export const DIMENSIONS = [
  ...(['source', 'device', 'country', 'browser', 'os', 'host', 'referrer', 'language'] as const),
  ...UTM_NAMES,
] as const;
export type Dimension = (typeof DIMENSIONS)[number];

/** The values that a question filters by, as they are compared. */
export type DimensionFilters = Partial<Record<Exclude<Dimension, 'referrer'>, string>>;

/**
 * The projections of `clicks` with sums, which the migrations make. Each has the number of clicks for every value of its
 * dimensions, either by quarter of an hour, which is exact for every time zone, or by link and UTC day.
 */
export const SUMS_BY_QUARTER: Readonly<Record<string, readonly Dimension[]>> = {
  by_device: ['device'],
  by_source: ['source'],
  by_country: ['country'],
  by_browser: ['browser'],
  by_os: ['os'],
  by_host: ['host'],
  by_language: ['language'],
  by_utm: UTM_NAMES,
  by_source_device: ['source', 'device'],
};
export const SUMS_BY_LINK_AND_DAY: Readonly<Record<string, readonly Dimension[]>> = {
  links_by_day: [],
  links_by_source_and_day: ['source'],
};

/** The UTC day of a click. */
export const UTC_DAY = 'toDate(quarter)';
/** The month in which a click was stored. */
export const STORED_MONTH = 'toYYYYMM(stored_at)';

/** Returns true if one of these sums has all the dimensions. */
export function hasSums(
  sums: Readonly<Record<string, readonly Dimension[]>>,
  dimensions: Iterable<Dimension>,
): boolean {
  const needed = [...new Set(dimensions)];
  return Object.values(sums).some((kept) => needed.every((dimension) => kept.includes(dimension)));
}
