import { SLUG_MAX_LENGTH, SLUG_PATTERN, slugKey } from '@waymark/contract';
import type { LinkCache } from './link-cache.ts';

const SLUG = new RegExp(SLUG_PATTERN);

/** The link of a slug as a visitor sent it, null where there can be none; as {@link LinkCache.find}. */
export function findLink(slug: string, links: Pick<LinkCache, 'find'>): ReturnType<LinkCache['find']> {
  return slug.length <= SLUG_MAX_LENGTH && SLUG.test(slug) ? links.find(slugKey(slug)) : null;
}
