import type { ReportedClick } from '@waymark/proto';
import type { VisitorFacts } from '../visitors/visitors.ts';
import { clickId } from './click-id.ts';
import { cutText } from './cut-text.ts';
import { utmSourceOf } from './utm-source.ts';

/** One click of a redirect, as it is reported. analytics-svc classifies it. */
export type Click = ReportedClick;

/** The headers in which browsers and apps say that nobody looks at the page yet. */
const PURPOSE_HEADERS = ['sec-purpose', 'purpose', 'x-purpose', 'x-moz'] as const;
const PREFETCH = /\b(?:prefetch|preview|prerender)\b/i;

/** The request headers that a click is made from. */
export type ClickHeaders = { 'user-agent'?: string | undefined; referer?: string | undefined } & {
  [name in (typeof PURPOSE_HEADERS)[number]]?: string | string[] | undefined;
};

/** Longer than nearly all User-Agent headers. Browsers inside apps send the longest ones. */
export const USER_AGENT_MAX_LENGTH = 384;
export const REFERRER_MAX_LENGTH = 2_048;

/**
 * Returns the click of a redirected request. `query` is the raw query string of the short URL; its `utm_source` precedes
 * `link.utmSource`, that of the destination. The click never contains the visitor's address.
 */
export function clickOf(
  request: { method: string; headers: ClickHeaders; query: string },
  link: { id: string; accountId: string; utmSource: string },
  { country, visitor }: VisitorFacts,
  atMs: number,
): Click {
  const { headers } = request;
  return {
    id: clickId(atMs),
    accountId: link.accountId,
    linkId: link.id,
    clickedAtMs: atMs,
    userAgent: cutText(headers['user-agent'] ?? '', USER_AGENT_MAX_LENGTH),
    referrer: cutText(headers.referer ?? '', REFERRER_MAX_LENGTH),
    utmSource: utmSourceOf(request.query) || link.utmSource,
    country,
    visitor,
    prefetch: request.method === 'HEAD' || isPrefetch(headers),
  };
}

function isPrefetch(headers: ClickHeaders): boolean {
  return PURPOSE_HEADERS.some((name) => {
    const value = headers[name];
    return value !== undefined && PREFETCH.test(String(value));
  });
}
