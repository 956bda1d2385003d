import {
  type Analytics,
  type AnalyticsQuery,
  crossParts,
  DEFAULT_HOST_NAME,
  MAX_CROSS,
  noticeOf,
} from '@waymark/contract';
import { sourceOfPage } from '../clicks/origin.ts';

/** How many sources or hosts a notice names. */
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

/** What an answer without clicks from the source that was sent has instead. */
export interface OtherSources {
  /** The sources without the filter. */
  reported: Analytics['sources'];
  /** The source whose clicks the answer has. */
  meant: string | undefined;
}

/** What there is in place of a source or host without clicks. */
export interface Others {
  sources?: OtherSources;
  /** The hosts without the filter. */
  hosts?: Hosts | undefined;
}
type Hosts = NonNullable<Analytics['hosts']>;

/** Returns the notice of an answer. */
export function analyticsNotice(
  { source, host, cross: asked }: AnalyticsQuery,
  { cross, clicks }: Analytics,
  { sources, hosts = [] }: Others,
): { notice?: string } {
  return noticeOf([
    asked !== undefined && cross?.length === MAX_CROSS ? crossNotice(asked, cross, clicks) : undefined,
    sources && sourceNotice(source!, sources),
    hosts.length === 0 ? undefined : hostNotice(host!, hosts),
  ]);
}

function sourceNotice(source: string, { reported, meant }: OtherSources): string {
  const none = `No click from the source ${JSON.stringify(source)}`;
  return meant === undefined
    ? `${none}; there are clicks from ${listOf(reported.map((one) => one.source))}.`
    : `${none}; these are the clicks from ${meant}.`;
}

function hostNotice(host: string, hosts: Hosts): string {
  const names = hosts.map((one) => one.host ?? DEFAULT_HOST_NAME);
  return `No click on the host ${JSON.stringify(host)}; there are clicks on ${listOf(names)}.`;
}

function crossNotice(asked: string, cross: NonNullable<Analytics['cross']>, clicks: number): string | undefined {
  const shown = cross.reduce((sum, entry) => sum + entry.clicks, 0);
  if (crossParts(asked).includes('hashtag'))
    return `"cross" has at most ${MAX_CROSS} pairs, those with most clicks, so some may be missing.`;
  if (shown === clicks) return undefined;
  return `"cross" has the ${MAX_CROSS} pairs with most clicks, ${shown} of ${clicks} clicks; use filters or a shorter window for the others.`;
}

function listOf(names: readonly string[]): string {
  const named = names.slice(0, NAMED_MAX).join(', ');
  return names.length > NAMED_MAX ? `${named} and others` : named;
}
