import type { ReportedClick } from '@waymark/proto';
import type { VisitorFacts } from '../visitors/visitors.ts';
import { clickId } from './click-id.ts';
import { cutText } from './cut-text.ts';
import { languageOf } from './language.ts';
import { type Utm, utmOf, withUtmOf } from './utm.ts';

/** One click of a redirect, as it is reported. analytics-svc classifies it. */
export type Click = ReportedClick;

/** The headers in which browsers and apps say that nobody looks at the page yet. */
const PURPOSE_HEADERS = ['sec-purpose', 'purpose', 'x-purpose', 'x-moz'] as const;
const PREFETCH = /\b(?:prefetch|preview|prerender)\b/i;

/** The request headers that a click is made from, apart from the referrer. */
export type ClickHeaders = { 'user-agent'?: string | undefined; 'accept-language'?: string | undefined } & {
  [name in (typeof PURPOSE_HEADERS)[number]]?: string | string[] | undefined;
};

/** Longer than nearly all User-Agent headers. Browsers inside apps send the longest ones. */
export const USER_AGENT_MAX_LENGTH = 384;
export const REFERRER_MAX_LENGTH = 2_048;

/** The parts of a redirected request that a click is made from. */
export interface ClickedRequest {
  method: string;
  headers: ClickHeaders;
  /** The `Referer` header. Empty if it does not count. */
  referrer: string;
  /** The short host of the link. Empty for the default host. */
  host: string;
  /** The raw query string of the short URL. */
  query: string;
}

/**
 * Returns the click of a redirected request. Each `utm_…` of its query precedes that of `link.utm`, which the destination
 * has. The click never contains the visitor's address.
 */
export function clickOf(
  request: ClickedRequest,
  link: { clicksId: string; accountId: string; utm: Utm },
  { country, visitor }: VisitorFacts,
  atMs: number,
): Click {
  const { headers, host } = request;
  return {
    id: clickId(atMs),
    accountId: link.accountId,
    linkId: link.clicksId,
    clickedAtMs: atMs,
    userAgent: cutText(headers['user-agent'] ?? '', USER_AGENT_MAX_LENGTH),
    referrer: cutText(request.referrer, REFERRER_MAX_LENGTH),
    ...withUtmOf(utmOf(request.query), link.utm),
    language: languageOf(headers['accept-language']),
    country,
    visitor,
    host,
    prefetch: request.method === 'HEAD' || isPrefetch(headers),
  };
}

/** Returns true if nobody looks at the page yet. */
export function isPrefetch(headers: ClickHeaders): boolean {
  return PURPOSE_HEADERS.some((name) => {
    const value = headers[name];
    return value !== undefined && PREFETCH.test(String(value));
  });
}
