import { isSlug } from '@waymark/contract';
import { redirectId } from '../slugs/redirect-id.ts';
import type { LinkCache, RedirectLink } from './link-cache.ts';

/**
 * Finds the link of a slug as a visitor sent it, or null if the slug is invalid. Otherwise like {@link LinkCache.find}.
 */
export async function findLink(slug: string, links: Pick<LinkCache, 'find'>): Promise<RedirectLink | null> {
  return isSlug(slug) ? links.find(redirectId(null, slug)) : null;
}

/** Returns the link of a slug as a visitor sent it if it is valid and cached, like {@link LinkCache.peek}. */
export function peekLink(slug: string, links: Pick<LinkCache, 'peek'>): RedirectLink | undefined {
  return isSlug(slug) ? links.peek(redirectId(null, slug)) : undefined;
}
