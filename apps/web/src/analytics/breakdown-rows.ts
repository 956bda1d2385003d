import type { Analytics, Link } from '@waymark/contract';
import { readableHost } from '../hosts/host-name.ts';
import { linkName } from '../short-url.ts';
import { analytics as texts } from '../texts/analytics.ts';
import { DEFAULT_HOST_FILTER } from '../texts/default-host-filter.ts';
import type { FilterName } from './analytics-search.ts';
import { countryName, languageName } from './format.ts';

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

/** A dimension of the clicks with its rows. */
export interface BreakdownList {
  part: keyof typeof LISTS;
  filter: FilterName | null;
  rows: BreakdownRow[];
  /** The clicks in none of the rows, because the API reports only the first ones. 0 if many clicks have no name. */
  otherClicks: number;
}

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

/**
 * Returns the lists of an answer in the order in which they are shown. Parts that it does not have are empty. Hosts are a
 * list if there are others than the default one, and a `utm_…` if a click has it.
 */
export function breakdownLists(shown: Analytics): BreakdownList[] {
  const rows: Record<keyof typeof LISTS, BreakdownRow[]> = {
    top_links: shown.top_links.map((link) => ({
      value: link.id,
      name: nameOfLink(link),
      isVerbatim: true,
      detail: link.title ?? link.destination_url,
      clicks: link.clicks,
      previousClicks: link.previous_clicks,
    })),
    sources: shown.sources.map(({ source, clicks }) => row(source, sourceName(source), clicks, source !== DIRECT)),
    countries: (shown.countries ?? []).map(({ country, clicks }) =>
      row(country ?? UNKNOWN, nameOfFilter('country', country ?? UNKNOWN), clicks),
    ),
    referrers: (shown.referrers ?? []).map(({ referrer, clicks }) => verbatimRow(referrer, clicks)),
    devices: shown.devices.map(({ device, clicks }) => row(device, nameOfFilter('device', device), clicks)),
    browsers: (shown.browsers ?? []).map(({ browser, clicks }) =>
      row(browser, nameOfFilter('browser', browser), clicks),
    ),
    operating_systems: (shown.operating_systems ?? []).map(({ os, clicks }) => row(os, nameOfFilter('os', os), clicks)),
    languages: (shown.languages ?? []).map(({ language, clicks }) =>
      row(language ?? UNKNOWN, nameOfFilter('language', language ?? UNKNOWN), clicks),
    ),
    hosts: (shown.hosts ?? []).map(({ host, clicks }) =>
      row(host ?? DEFAULT_HOST_FILTER, nameOfFilter('host', host ?? DEFAULT_HOST_FILTER), clicks, host !== null),
    ),
    utm_campaigns: (shown.utm_campaigns ?? []).map((entry) => verbatimRow(entry.utm_campaign, entry.clicks)),
    utm_mediums: (shown.utm_mediums ?? []).map((entry) => verbatimRow(entry.utm_medium, entry.clicks)),
    utm_contents: (shown.utm_contents ?? []).map((entry) => verbatimRow(entry.utm_content, entry.clicks)),
    utm_terms: (shown.utm_terms ?? []).map((entry) => verbatimRow(entry.utm_term, entry.clicks)),
  };
  const hasHosts = shown.host !== undefined || rows.hosts.some(({ value }) => value !== DEFAULT_HOST_FILTER);
  const isShown = (part: keyof typeof LISTS) =>
    part === 'hosts' ? hasHosts : !part.startsWith('utm_') || rows[part].length > 0;
  const parts = (Object.keys(LISTS) as (keyof typeof LISTS)[]).filter(isShown);
  return parts.map((part) => ({
    part,
    filter: LISTS[part],
    rows: rows[part],
    otherClicks: part === 'referrers' || part.startsWith('utm_') ? 0 : shown.clicks - clicksOf(rows[part]),
  }));
}

/** Returns a link as lists name it: `/sale`, or `go.example.com/sale` if it is not on the default host. */
export function nameOfLink(link: Pick<Link, 'slug' | 'short_url'>): string {
  const name = linkName(link);
  return name === link.slug ? `/${name}` : name;
}

/** Returns the clicks of rows, added up. */
export function clicksOf(rows: readonly Pick<BreakdownRow, 'clicks'>[]): number {
  return rows.reduce((sum, { clicks }) => sum + clicks, 0);
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

function verbatimRow(value: string, clicks: number): BreakdownRow {
  return row(value, value, clicks, true);
}

function row(value: string, name: string, clicks: number, isVerbatim = false): BreakdownRow {
  return { value, name, clicks, isVerbatim };
}
