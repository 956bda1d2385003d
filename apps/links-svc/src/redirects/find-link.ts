import { isSlug, slugKey } from '@waymark/contract';
import type { LinkCache } from './link-cache.ts';

/**
 * Finds the link of a slug as a visitor sent it, or null if the slug is invalid. Otherwise like {@link LinkCache.find}.
 */
export function findLink(slug: string, links: Pick<LinkCache, 'find'>): ReturnType<LinkCache['find']> {
  return isSlug(slug) ? links.find(slugKey(slug)) : null;
}
