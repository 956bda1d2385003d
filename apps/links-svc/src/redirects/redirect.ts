import type { RedirectCode } from '@waymark/contract';
import { type Click, type ClickHeaders, clickOf } from '../clicks/click.ts';
import type { AskedHosts } from '../hosts/asked-hosts.ts';
import type { VerifiedHost } from '../hosts/verified-hosts.ts';
import type { Visitors } from '../visitors/visitors.ts';
import type { LinkCache, RedirectLink } from './link-cache.ts';
import { withQuery } from './location.ts';
import { ruleFor } from './rules.ts';

/** The route of redirects. */
export const REDIRECT_ROUTE = '/:slug';

/** The dependencies of a redirect: the hosts, the links, the sink of its click, and what is known of its visitor. */
export interface RedirectDeps {
  hosts: Pick<AskedHosts, 'of' | 'isOfAccount'>;
  links: Pick<LinkCache, 'find' | 'peek' | 'invalidate'>;
  clicks: ClickSink;
  visitors: Pick<Visitors, 'factsOf'>;
  /** The clock, in milliseconds. */
  now(): number;
}

/** A sink for clicks. `append` resolves once the click is in a file, or is known to be lost. */
export interface ClickSink {
  append(click: Click): Promise<unknown>;
}

/** The parts of a request that a redirect reads. */
export interface RedirectRequest {
  method: string;
  headers: ClickHeaders & { referer?: string | undefined };
  /** The short host that it asks for, or null for the default host. */
  host: VerifiedHost | null;
  /** The visitor's address. It is not kept. */
  address: string;
  /** The raw query string, without `?`. */
  query: string;
}

/** The response to a request for an open link, and the click to append before it is sent. */
export interface Redirect {
  status: RedirectCode | 303;
  /** The `Location` header. */
  location: string;
  headers: Record<string, string>;
  click: Click;
}

/** What browsers may do with a permanent redirect. Later they ask again, so that its clicks count and changes are seen. */
const KEPT = 'private, max-age=90';

/** Returns the redirect of a request. `status` replaces that of the link. A referrer on the account's own hosts does not count. */
export function redirectOf(
  request: RedirectRequest,
  link: RedirectLink,
  { hosts, visitors, now }: Pick<RedirectDeps, 'hosts' | 'visitors' | 'now'>,
  status: Redirect['status'] = link.redirectCode,
): Redirect {
  const { method, query, address, headers: sent, host } = request;
  const atMs = now();
  const visitor = { accountId: link.accountId, address, userAgent: sent['user-agent'] ?? '' };
  const referrer = sent.referer ?? '';
  const clicked = {
    method,
    headers: sent,
    query,
    host: host?.name ?? '',
    referrer: hosts.isOfAccount(link.accountId, referrer) ? '' : referrer,
  };
  const facts = visitors.factsOf(visitor, atMs);
  const { rules } = link;
  const target =
    rules === null
      ? link
      : (ruleFor(rules, { ...facts, userAgent: visitor.userAgent, acceptLanguage: sent['accept-language'], atMs }) ??
        link);
  const location = query === '' ? target.location : withQuery(target.location, query);
  const isKept = (status === 301 || status === 308) && rules === null && link.limitId === null;
  const headers: Record<string, string> = { location, 'cache-control': isKept ? KEPT : 'no-store' };
  if (link.unlisted) headers['x-robots-tag'] = 'noindex';
  const { clicksId, accountId } = link;
  return { status, location, headers, click: clickOf(clicked, { clicksId, accountId, utm: target.utm }, facts, atMs) };
}
