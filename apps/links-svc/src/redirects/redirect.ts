import type { RedirectHeaders, Visit } from '@waymark/proto';
import { type Click, clickOf } from '../clicks/click.ts';
import type { RedirectLink } from './link-cache.ts';
import { withQuery } from './location.ts';

/** Where clicks go; resolves once the click is durable, or is known to be lost. */
export interface ClickSink {
  append(click: Click): Promise<unknown>;
}

/** Records the click of a visit, and gives the headers that lead the visitor on. */
export async function redirect(
  visit: Pick<Visit, 'method' | 'headers' | 'query'>,
  link: RedirectLink,
  clicks: ClickSink,
): Promise<RedirectHeaders> {
  await clicks.append(clickOf(visit, link, Date.now()));
  const headers: RedirectHeaders = {
    location: visit.query === '' ? link.location : withQuery(link.location, visit.query),
    'cache-control': 'no-store',
  };
  if (link.unlisted) headers['x-robots-tag'] = 'noindex';
  return headers;
}
