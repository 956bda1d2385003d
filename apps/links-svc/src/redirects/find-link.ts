import { isSlug, slugKey } from '@waymark/contract';
import type { LinkCache } from './link-cache.ts';

/** The link of a slug as a visitor sent it, null where there can be none; as {@link LinkCache.find}. */
export function findLink(slug: string, links: Pick<LinkCache, 'find'>): ReturnType<LinkCache['find']> {
  return isSlug(slug) ? links.find(slugKey(slug)) : null;
}
