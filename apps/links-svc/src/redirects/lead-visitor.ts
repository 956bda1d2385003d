import type { RedirectHeaders, Visit } from '@waymark/proto';
import { findLink } from './find-link.ts';
import type { LinkCache } from './link-cache.ts';
import { type ClickSink, redirect } from './redirect.ts';

export interface Leading {
  links: Pick<LinkCache, 'find'>;
  clicks: ClickSink;
}

/**
 * Leads a visitor along a link that is known, its click durable first; null where nothing was done, since the link must be
 * looked up (which has begun), wants a password, or is not there.
 */
export function leadVisitor(visit: Visit, { links, clicks }: Leading): Promise<RedirectHeaders> | null {
  const link = findLink(visit.slug, links);
  if (link instanceof Promise) {
    // The visit comes again by another way, and waits for this same lookup.
    link.catch(() => {});
    return null;
  }
  if (link === null || link.passwordHash !== null) return null;
  return redirect(visit, link, clicks);
}
