import type { Analytics, Link } from '@waymark/contract';
import { readableHost } from '../hosts/host-name.ts';
import { linkName } from '../short-url.ts';
import { analytics as texts } from '../texts/analytics.ts';
import { DEFAULT_HOST_FILTER } from '../texts/default-host-filter.ts';
import type { FilterName } from './analytics-search.ts';
import { countryName, languageName } from './format.ts';
import { clicksOf } from './time-series.ts';

/** The API's name of a country or language that is not known, as a filter. */
const UNKNOWN = 'unknown';
/** The API's name of the source of clicks without one. */
const DIRECT = 'direct';

/** A part of the clicks. */
export interface BreakdownRow {
  /** The value of the filter for these clicks; unique in its list. */
  value: string;
  name: string;
  /** Slugs and hosts are not translated. */
  isVerbatim: boolean;
  /** A second, smaller line. */
  detail?: string;
  clicks: number;
  previousClicks?: number | undefined;
}

/** A row of a list, or the clicks that are in none of them: `filter` is null then. */
export type ShownRow = BreakdownRow & { filter: FilterName | null };

/** A dimension of the clicks with its rows. */
export interface BreakdownList {
  part: ListName;
  filter: FilterName | null;
  rows: BreakdownRow[];
  /** All clicks of the answer, of which the rows are parts. */
  clicks: number;
}

/** The lists of the page in the order in which they are shown, and the filter that their rows set, which is their name. */
const LISTS = {
  top_links: 'link_id',
  sources: 'source',
  countries: 'country',
  referrers: null,
  devices: 'device',
  browsers: 'browser',
  operating_systems: 'os',
  languages: 'language',
  hosts: 'host',
  utm_campaigns: 'utm_campaign',
  utm_mediums: 'utm_medium',
  utm_contents: 'utm_content',
  utm_terms: 'utm_term',
} as const satisfies Record<string, FilterName | null>;
export type ListName = keyof typeof LISTS;

/** Returns the rows of a list of an answer. A part that it does not have is empty. */
function rowsOf(shown: Analytics, part: ListName): BreakdownRow[] {
  if (part === 'top_links')
    return shown.top_links.map((link) => ({
      value: link.id,
      name: nameOfLink(link),
      isVerbatim: true,
      detail: link.title ?? link.destination_url,
      clicks: link.clicks,
      previousClicks: link.previous_clicks,
    }));
  const filter = LISTS[part];
  // Each entry has its name beside its clicks.
  const entries = (shown[part] ?? []) as { clicks: number; [name: string]: string | number | null }[];
  return entries.map((entry) => {
    const value = String(entry[filter ?? 'referrer'] ?? (filter === 'host' ? DEFAULT_HOST_FILTER : UNKNOWN));
    const name = filter === null ? value : nameOfFilter(filter, value);
    const isVerbatim = name === value || (filter === 'host' && value !== DEFAULT_HOST_FILTER);
    return { value, name, isVerbatim, clicks: entry.clicks };
  });
}

/** The lists that the page asks for first, with the figures above them. */
export const FIRST_LISTS = ['top_links', 'sources'] as const satisfies ListName[];
/** The lists that it asks for after those. */
export const FURTHER_LISTS = (Object.keys(LISTS) as ListName[]).filter(
  (part) => !(FIRST_LISTS as readonly ListName[]).includes(part),
);

/**
 * Returns lists of an answer. Hosts are a list if there are others than the default one, and a `utm_…` if a click has it. A
 * link alone would be its own top link.
 */
export function breakdownLists(shown: Analytics, parts: readonly ListName[]): BreakdownList[] {
  const lists = parts.map((part): BreakdownList => {
    return { part, filter: LISTS[part], rows: rowsOf(shown, part), clicks: shown.clicks };
  });
  return lists.filter(({ part, rows }) => {
    if (part === 'top_links') return shown.link_id === undefined;
    if (part === 'hosts') return shown.host !== undefined || rows.some(({ value }) => value !== DEFAULT_HOST_FILTER);
    return !part.startsWith('utm_') || rows.length > 0;
  });
}

/** The most rows of a list that the API names. Of top links, the page asks for as many. */
export const NAMED_MAX = 50;
const ROWS_SHOWN = 6;

/** Returns true if not all rows of a list are shown at first. One more row takes no more space than one for all others. */
export function isLong({ rows }: BreakdownList): boolean {
  return rows.length > ROWS_SHOWN + 1;
}

/**
 * Returns the rows to show of a list, all or the first ones, and rows for the clicks that are in none of them: those of
 * other values, and those without a value. Together they have all clicks of the answer.
 */
export function shownRows(list: BreakdownList, all: boolean): ShownRow[] {
  const { part, filter, rows, clicks } = list;
  const shown = all || !isLong(list) ? rows : rows.slice(0, ROWS_SHOWN);
  const hidden = rows.slice(shown.length);
  const unnamed = clicks - clicksOf(rows);
  const noun = (texts.lists.withoutNouns as Partial<Record<ListName, string>>)[part];
  const others = clicksOf(hidden) + (noun === undefined ? unnamed : 0);
  const added = (name: string, count: number): ShownRow[] =>
    count > 0 ? [{ value: '', name, isVerbatim: false, clicks: count, filter: null }] : [];
  return [
    ...shown.map((each) => ({ ...each, filter })),
    ...added(texts.lists.others(hidden.length, noun === undefined && unnamed > 0), others),
    ...(noun === undefined ? [] : added(texts.lists.without(noun, rows.length === NAMED_MAX), unnamed)),
  ];
}

/** Returns a link as lists name it: `/sale`, or `go.example.com/sale` if it is not on the default host. */
export function nameOfLink(link: Pick<Link, 'slug' | 'short_url'>): string {
  const name = linkName(link);
  return name === link.slug ? `/${name}` : name;
}

/** Returns the value of a filter as users read it. Not of a link, whose slug is not known from its id. */
export function nameOfFilter(filter: Exclude<FilterName, 'link_id'>, value: string): string {
  switch (filter) {
    case 'hashtag':
      return texts.filters.hashtag(value);
    case 'source':
      return sourceName(value);
    case 'country':
      return value === UNKNOWN ? texts.lists.unknownCountry : countryName(value);
    case 'language':
      return value === UNKNOWN ? texts.lists.unknownLanguage : languageName(value);
    case 'device':
      return texts.lists.devicesByName.get(value) ?? value;
    case 'browser':
    case 'os':
      return value === 'other' ? texts.lists.other : value;
    case 'host':
      return value === DEFAULT_HOST_FILTER ? texts.lists.defaultHost : readableHost(value);
    case 'utm_campaign':
    case 'utm_medium':
    case 'utm_content':
    case 'utm_term':
      return value;
  }
}

function sourceName(source: string): string {
  return source === DIRECT ? texts.lists.direct : source;
}
