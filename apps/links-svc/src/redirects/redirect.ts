import { type Click, type ClickHeaders, clickOf } from '../clicks/click.ts';
import type { LinkCache, RedirectLink } from './link-cache.ts';
import { withQuery } from './location.ts';

/** The dependencies of a redirect: the links, and the sink of its click. */
export interface RedirectDeps {
  links: Pick<LinkCache, 'find'>;
  clicks: ClickSink;
}

/** A sink for clicks. `append` resolves once the click is durable, or is known to be lost. */
export interface ClickSink {
  append(click: Click): Promise<unknown>;
}

/** The parts of a request that a redirect reads. */
export interface RedirectRequest {
  method: string;
  headers: ClickHeaders;
  /** The raw query string, without `?`. */
  query: string;
}

/** Records the click of a request and returns the headers of its redirect. */
export async function redirect(
  request: RedirectRequest,
  link: RedirectLink,
  clicks: ClickSink,
): Promise<Record<string, string>> {
  await clicks.append(clickOf(request, link, Date.now()));
  const { query } = request;
  return {
    location: query === '' ? link.location : withQuery(link.location, query),
    'cache-control': 'no-store',
    ...(link.unlisted ? { 'x-robots-tag': 'noindex' } : {}),
  };
}
