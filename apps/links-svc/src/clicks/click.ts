import type { ReportedClick } from '@waymark/proto';
import { clickId } from './click-id.ts';

/** One answered redirect, as it is reported; what it counts as is analytics-svc's to say. */
export type Click = ReportedClick;

/** The headers that a click is made from. */
export interface ClickHeaders {
  'user-agent'?: string | undefined;
  referer?: string | undefined;
  purpose?: string | string[] | undefined;
  'sec-purpose'?: string | string[] | undefined;
}

/** Browsers inside apps send the longest ones: above 384 characters, one in 10,000. */
export const USER_AGENT_MAX_LENGTH = 384;
export const REFERRER_MAX_LENGTH = 2_048;
export const UTM_SOURCE_MAX_LENGTH = 200;

/**
 * The click of a request that is redirected along a link. `query` is the raw query string of the short URL. The
 * visitor's address is no part of it.
 */
export function clickOf(
  request: { method: string; headers: ClickHeaders; query: string },
  link: { id: string; accountId: string },
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
    prefetch: request.method === 'HEAD' || isPrefetch(headers['sec-purpose']) || isPrefetch(headers.purpose),
  };
}

function isPrefetch(header: string | string[] | undefined): boolean {
  return header !== undefined && String(header).toLowerCase().includes('prefetch');
}

function utmSourceOf(query: string): string {
  // Most short URLs have none, and reading parameters costs more than all else here.
  if (!query.includes('utm_source') && !query.includes('%')) return '';
  return new URLSearchParams(query).get('utm_source') ?? '';
}

/** At most `maxLength` UTF-16 units, without cutting a surrogate pair in two. */
function cut(text: string, maxLength: number): string {
  return text.length <= maxLength ? text : text.slice(0, maxLength).replace(/[\uD800-\uDBFF]$/, '');
}
