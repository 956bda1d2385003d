import { type Click, type ClickHeaders, clickOf } from '../clicks/click.ts';
import type { LinkCache, RedirectLink } from './link-cache.ts';
import { withQuery } from './location.ts';

/** What a redirect needs: the links, and where its click goes. */
export interface RedirectDeps {
  links: Pick<LinkCache, 'find'>;
  clicks: ClickSink;
}

/** Where clicks go; resolves once the click is durable, or is known to be lost. */
export interface ClickSink {
  append(click: Click): Promise<unknown>;
}

/** What a redirect reads of a request. */
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
