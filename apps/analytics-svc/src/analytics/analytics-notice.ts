import {
  type Analytics,
  type AnalyticsQuery,
  crossParts,
  DEFAULT_HOST_NAME,
  isUtmName,
  MAX_CROSS,
  noticeOf,
} from '@waymark/contract';
import { sourceOfPage } from '../clicks/origin.ts';
import { namesOf } from './analytics-answer.ts';
import type { FigurePart } from './click-query.ts';
import type { FigureKind, FiguresRow } from './figures-statement.ts';

/** How many values a notice names. */
const NAMED_MAX = 10;

/**
 * Returns the source that a client means by one without clicks. A URL or a host means its site. A name means the
 * source that has it or begins with it, if exactly one does. Returns undefined if the client means no other source.
 */
export function meantSource(sent: string, reported: readonly string[]): string | undefined {
  const text = sent.trim().toLowerCase();
  const url = /^(?:https?|android-app):\/\//.test(text) ? text : `https://${text}`;
  if (!URL.canParse(url)) return undefined;
  const name = sourceOfPage(url).replace(/^www\./, '');
  if (name.includes('.')) return name === text ? undefined : name;
  const named = reported.filter((source) => source !== text && (source === name || source.startsWith(`${name}.`)));
  return named.length === 1 ? named[0] : undefined;
}

/** A filter whose value has no click, and the values that have some beside the other filters. */
export interface WithoutClicks {
  filter: NamingFilter;
  /** Those with most clicks first. Empty for a hashtag. */
  names: readonly string[];
  /** The source whose clicks the answer has. */
  meant?: string | undefined;
}

interface FilterWords {
  on: string;
  noun: string;
  /** The list that has its values, if the days do not have them. */
  list?: FigurePart & FigureKind;
  /** How the value of clicks that have none is sent. */
  unnamed?: string;
}

/** The filters whose value may have no click, in the order in which an answer without clicks looks for the reason. */
const FILTERS = {
  source: { on: 'from', noun: 'the source', list: 'sources' },
  host: { on: 'on', noun: 'the host', list: 'hosts', unnamed: DEFAULT_HOST_NAME },
  country: { on: 'from', noun: 'the country', list: 'countries', unnamed: 'unknown' },
  device: { on: 'with', noun: 'the device' },
  browser: { on: 'with', noun: 'the browser', list: 'browsers' },
  os: { on: 'with', noun: 'the operating system', list: 'operating_systems' },
  language: { on: 'with', noun: 'the language', list: 'languages', unnamed: 'unknown' },
  utm_campaign: { on: 'with', noun: 'the utm_campaign', list: 'utm_campaigns' },
  utm_medium: { on: 'with', noun: 'the utm_medium', list: 'utm_mediums' },
  utm_content: { on: 'with', noun: 'the utm_content', list: 'utm_contents' },
  utm_term: { on: 'with', noun: 'the utm_term', list: 'utm_terms' },
  hashtag: { on: 'on', noun: 'a link with the hashtag' },
} as const satisfies Partial<Record<keyof AnalyticsQuery, FilterWords>>;
export type NamingFilter = keyof typeof FILTERS;
export const NAMING_FILTERS = Object.keys(FILTERS) as NamingFilter[];

/** Returns what a question has to ask for to know the values of a filter. */
export function partsNaming(filter: NamingFilter): Set<FigurePart> {
  const { list }: FilterWords = FILTERS[filter];
  return new Set(list === undefined ? [] : [list]);
}

/** Returns the values of a filter that have clicks, as they are sent, most clicks first. Hashtags are not known. */
export function valuesOf(filter: NamingFilter, rows: readonly FiguresRow[]): string[] {
  if (filter === 'hashtag') return [];
  const { list, unnamed = '' }: FilterWords = FILTERS[filter];
  const names = namesOf(rows.filter(({ kind }) => kind === (list ?? 'days')));
  return names.map(({ name }) => name || unnamed).filter((name) => name !== '');
}

/** Returns the notice of an answer. */
export function analyticsNotice(
  asked: AnalyticsQuery,
  { cross, clicks }: Analytics,
  without?: WithoutClicks,
): { notice?: string } {
  return noticeOf([
    asked.cross !== undefined && cross?.length === MAX_CROSS ? crossNotice(asked.cross, cross, clicks) : undefined,
    without && valueNotice(asked[without.filter]!, without),
  ]);
}

function valueNotice(sent: string, { filter, names, meant }: WithoutClicks): string {
  const { on, noun } = FILTERS[filter];
  const others =
    meant === undefined
      ? `there are clicks ${names.length > 0 ? `${on} ${listOf(names)}` : isUtmName(filter) ? 'without one' : `${on} others`}`
      : `these are the clicks ${on} ${meant}`;
  return `No click ${on} ${noun} ${JSON.stringify(sent)}; ${others}.`;
}

function crossNotice(asked: string, cross: NonNullable<Analytics['cross']>, clicks: number): string | undefined {
  const shown = cross.reduce((sum, entry) => sum + entry.clicks, 0);
  if (crossParts(asked).some((part) => part === 'hashtag' || isUtmName(part)))
    return `"cross" has at most ${MAX_CROSS} pairs, those with most clicks, so some may be missing.`;
  if (shown === clicks) return undefined;
  return `"cross" has the ${MAX_CROSS} pairs with most clicks, ${shown} of ${clicks} clicks; use filters or a shorter window for the others.`;
}

function listOf(names: readonly string[]): string {
  const named = names.slice(0, NAMED_MAX).join(', ');
  return names.length > NAMED_MAX ? `${named} and others` : named;
}
