import { type Click, type ClickHeaders, clickOf } from '../clicks/click.ts';
import type { Visitors } from '../visitors/visitors.ts';
import type { LinkCache, RedirectLink } from './link-cache.ts';
import { withQuery } from './location.ts';

/** The dependencies of a redirect: the links, the sink of its click, and what is known of its visitor. */
export interface RedirectDeps {
  links: Pick<LinkCache, 'find'>;
  clicks: ClickSink;
  visitors: Pick<Visitors, 'factsOf'>;
  /** The clock, in milliseconds. */
  now(): number;
}

/** A sink for clicks. `append` resolves once the click is durable, or is known to be lost. */
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

/** Records the click of a request and returns the headers of its redirect. */
export async function redirect(
  request: RedirectRequest,
  link: RedirectLink,
  { clicks, visitors, now }: Pick<RedirectDeps, 'clicks' | 'visitors' | 'now'>,
): Promise<Record<string, string>> {
  const { query, address, headers } = request;
  const atMs = now();
  const visitor = { accountId: link.accountId, address, userAgent: headers['user-agent'] ?? '' };
  await clicks.append(clickOf(request, link, visitors.factsOf(visitor, atMs), atMs));
  return {
    location: query === '' ? link.location : withQuery(link.location, query),
    'cache-control': 'no-store',
    ...(link.unlisted ? { 'x-robots-tag': 'noindex' } : {}),
  };
}
