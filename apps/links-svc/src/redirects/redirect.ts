import { type Click, type ClickHeaders, clickOf } from '../clicks/click.ts';
import type { AskedHosts } from '../hosts/asked-hosts.ts';
import type { Visitors } from '../visitors/visitors.ts';
import type { LinkCache, RedirectLink } from './link-cache.ts';
import { withQuery } from './location.ts';

/** The route of redirects. */
export const REDIRECT_ROUTE = '/:slug';

/** The dependencies of a redirect: the hosts, the links, the sink of its click, and what is known of its visitor. */
export interface RedirectDeps {
  hosts: Pick<AskedHosts, 'of'>;
  links: Pick<LinkCache, 'find' | 'peek'>;
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
  headers: ClickHeaders;
  /** The visitor's address. It is not kept. */
  address: string;
  /** The raw query string, without `?`. */
  query: string;
}

/** The response to a request for an open link, and the click to append before it is sent. */
export interface Redirect {
  headers: Record<string, string>;
  click: Click;
}

/** Returns the redirect of a request. */
export function redirectOf(
  request: RedirectRequest,
  link: RedirectLink,
  { visitors, now }: Pick<RedirectDeps, 'visitors' | 'now'>,
): Redirect {
  const { query, address } = request;
  const atMs = now();
  const visitor = { accountId: link.accountId, address, userAgent: request.headers['user-agent'] ?? '' };
  const location = query === '' ? link.location : withQuery(link.location, query);
  const headers: Record<string, string> = { location, 'cache-control': 'no-store' };
  if (link.unlisted) headers['x-robots-tag'] = 'noindex';
  return { headers, click: clickOf(request, link, visitors.factsOf(visitor, atMs), atMs) };
}
