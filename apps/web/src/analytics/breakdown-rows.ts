import type { Analytics, Link } from '@waymark/contract';
import { readableHost } from '../hosts/host-name.ts';
import { linkName } from '../short-url.ts';
import { analytics as texts } from '../texts/analytics.ts';
import { DEFAULT_HOST_FILTER } from '../texts/default-host-filter.ts';
import type { FilterName } from './analytics-search.ts';
import { countryName } from './format.ts';

/** The API's name of a country that is not known, as a filter. */
const UNKNOWN_COUNTRY = 'unknown';
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
  /** The clicks in none of the rows, because the API reports only the first ones. 0 for referrers: many clicks have none. */
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
  hosts: 'host',
} as const satisfies Record<string, FilterName | null>;

/**
 * Returns the lists of an answer in the order in which they are shown. Parts that it does not have are empty. Hosts are a
 * list if there are others than the default one.
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
      row(country ?? UNKNOWN_COUNTRY, nameOfFilter('country', country ?? UNKNOWN_COUNTRY), clicks),
    ),
    referrers: (shown.referrers ?? []).map(({ referrer, clicks }) => row(referrer, referrer, clicks, true)),
    devices: shown.devices.map(({ device, clicks }) => row(device, nameOfFilter('device', device), clicks)),
    browsers: (shown.browsers ?? []).map(({ browser, clicks }) =>
      row(browser, nameOfFilter('browser', browser), clicks),
    ),
    operating_systems: (shown.operating_systems ?? []).map(({ os, clicks }) => row(os, nameOfFilter('os', os), clicks)),
    hosts: (shown.hosts ?? []).map(({ host, clicks }) =>
      row(host ?? DEFAULT_HOST_FILTER, nameOfFilter('host', host ?? DEFAULT_HOST_FILTER), clicks, host !== null),
    ),
  };
  const hasHosts = shown.host !== undefined || rows.hosts.some(({ value }) => value !== DEFAULT_HOST_FILTER);
  const parts = (Object.keys(LISTS) as (keyof typeof LISTS)[]).filter((part) => part !== 'hosts' || hasHosts);
  return parts.map((part) => ({
    part,
    filter: LISTS[part],
    rows: rows[part],
    otherClicks: part === 'referrers' ? 0 : shown.clicks - clicksOf(rows[part]),
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
      return value === UNKNOWN_COUNTRY ? texts.lists.unknownCountry : countryName(value);
    case 'device':
      return texts.lists.devicesByName.get(value) ?? value;
    case 'browser':
    case 'os':
      return value === 'other' ? texts.lists.other : value;
    case 'host':
      return value === DEFAULT_HOST_FILTER ? texts.lists.defaultHost : readableHost(value);
  }
}

function sourceName(source: string): string {
  return source === DIRECT ? texts.lists.direct : source;
}

function row(value: string, name: string, clicks: number, isVerbatim = false): BreakdownRow {
  return { value, name, clicks, isVerbatim };
}
