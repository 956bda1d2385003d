import type { ReportedClick } from '@waymark/proto';
import type { VisitorFacts } from '../visitors/visitors.ts';
import { clickId } from './click-id.ts';

/** One click of a redirect, as it is reported. analytics-svc classifies it. */
export type Click = ReportedClick;

/** The request headers that a click is made from. */
export interface ClickHeaders {
  'user-agent'?: string | undefined;
  referer?: string | undefined;
  purpose?: string | string[] | undefined;
  'sec-purpose'?: string | string[] | undefined;
}

/** Longer than nearly all User-Agent headers. Browsers inside apps send the longest ones. */
export const USER_AGENT_MAX_LENGTH = 384;
export const REFERRER_MAX_LENGTH = 2_048;
export const UTM_SOURCE_MAX_LENGTH = 200;

/**
 * Returns the click of a redirected request. `query` is the raw query string of the short URL. The click never contains
 * the visitor's address.
 */
export function clickOf(
  request: { method: string; headers: ClickHeaders; query: string },
  link: { id: string; accountId: string },
  { country, visitor }: VisitorFacts,
  atMs: number,
): Click {
  const { headers } = request;
  return {
    id: clickId(atMs),
    accountId: link.accountId,
    linkId: link.id,
    clickedAtMs: atMs,
    userAgent: cut(headers['user-agent'] ?? '', USER_AGENT_MAX_LENGTH),
    referrer: cut(headers.referer ?? '', REFERRER_MAX_LENGTH),
    utmSource: cut(utmSourceOf(request.query), UTM_SOURCE_MAX_LENGTH),
    country,
    visitor,
    prefetch: request.method === 'HEAD' || isPrefetch(headers['sec-purpose']) || isPrefetch(headers.purpose),
  };
}

function isPrefetch(header: string | string[] | undefined): boolean {
  return header !== undefined && String(header).toLowerCase().includes('prefetch');
}

/** The first parameter named `utm_source`. Each character of the name may be percent-encoded. */
const UTM_SOURCE =
  /(?:^|&)(?:u|%75)(?:t|%74)(?:m|%6[dD])(?:_|%5[fF])(?:s|%73)(?:o|%6[fF])(?:u|%75)(?:r|%72)(?:c|%63)(?:e|%65)(?:=([^&]*)|(?=&|$))/;

function utmSourceOf(query: string): string {
  // A visitor's query may be long, and parsing all of it is expensive.
  const value = UTM_SOURCE.exec(query)?.[1] ?? '';
  return new URLSearchParams(`=${value}`).get('') ?? '';
}

/** Returns at most `maxLength` UTF-16 units of the text, without splitting a surrogate pair. */
function cut(text: string, maxLength: number): string {
  return text.length <= maxLength ? text : text.slice(0, maxLength).replace(/[\uD800-\uDBFF]$/, '');
}
