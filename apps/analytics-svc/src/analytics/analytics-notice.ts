import { type Analytics, type AnalyticsQuery, crossParts, MAX_CROSS, noticeOf } from '@waymark/contract';
import { sourceOfPage } from '../clicks/origin.ts';

/** How many sources a notice names. */
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

/** Returns the notice of an answer. `others` is null if the source has clicks, or none was sent. */
export function analyticsNotice(
  { source, cross: asked }: AnalyticsQuery,
  { cross, clicks }: Analytics,
  others: OtherSources | null,
): { notice?: string } {
  return noticeOf([
    asked !== undefined && cross?.length === MAX_CROSS ? crossNotice(asked, cross, clicks) : undefined,
    others === null ? undefined : sourceNotice(source!, others),
  ]);
}

function sourceNotice(source: string, { reported, meant }: OtherSources): string | undefined {
  const none = `No click from the source ${JSON.stringify(source)}`;
  if (meant !== undefined) return `${none}; these are the clicks from ${meant}.`;
  return reported.length === 0 ? undefined : `${none}; there are clicks from ${listOf(reported)}.`;
}

function crossNotice(asked: string, cross: NonNullable<Analytics['cross']>, clicks: number): string | undefined {
  const shown = cross.reduce((sum, entry) => sum + entry.clicks, 0);
  if (crossParts(asked).includes('hashtag'))
    return `"cross" has at most ${MAX_CROSS} pairs, those with most clicks, so some may be missing.`;
  if (shown === clicks) return undefined;
  return `"cross" has the ${MAX_CROSS} pairs with most clicks, ${shown} of ${clicks} clicks; use filters or a shorter window for the others.`;
}

function listOf(sources: Analytics['sources']): string {
  const names = sources.slice(0, NAMED_MAX).map(({ source }) => source);
  return sources.length > NAMED_MAX ? `${names.join(', ')} and others` : names.join(', ');
}
