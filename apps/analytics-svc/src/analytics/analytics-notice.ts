import { type Analytics, type AnalyticsQuery, crossParts, MAX_CROSS, noticeOf } from '@waymark/contract';

/** How many sources a notice names. */
const NAMED_MAX = 10;

/**
 * Returns a source as it is reported: of a URL, or a name that begins with `www.`, the host without that. Any other text
 * may be a `utm_source`, so it is only lower-cased.
 */
export function foldSource(source: string): string {
  const [, host] = /^(?:https?:\/\/(?:www\.)?|www\.)([^/?#:]+)/.exec(source.toLowerCase()) ?? [];
  return host ?? source.toLowerCase();
}

/** Returns the notice of an answer: `others` are the sources of an answer without the filter `source`, if that found none. */
export function analyticsNotice(
  { source, cross: asked }: AnalyticsQuery,
  { cross, clicks }: Analytics,
  others: Analytics['sources'] | null,
): { notice?: string } {
  return noticeOf([
    asked !== undefined && cross?.length === MAX_CROSS ? crossNotice(asked, cross, clicks) : undefined,
    source !== undefined && others !== null && others.length > 0
      ? `No click from the source ${JSON.stringify(source)}; there are clicks from ${listOf(others)}.`
      : undefined,
  ]);
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
