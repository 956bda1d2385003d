import { isSlug } from '@waymark/contract';
import type { VerifiedHost } from '../hosts/verified-hosts.ts';
import { redirectId } from '../slugs/redirect-id.ts';
import type { LinkCache, RedirectLink } from './link-cache.ts';

/**
 * Finds the link of a slug as a visitor sent it on a host, or null if the slug is invalid. Otherwise like
 * {@link LinkCache.find}.
 */
export async function findLink(
  host: VerifiedHost | null,
  slug: string,
  links: Pick<LinkCache, 'find'>,
): Promise<RedirectLink | null> {
  return isSlug(slug) ? links.find(redirectId(host?.id ?? null, slug)) : null;
}

/** Returns the link of a slug as a visitor sent it on a host, if it is valid and cached, like {@link LinkCache.peek}. */
export function peekLink(
  host: VerifiedHost | null,
  slug: string,
  links: Pick<LinkCache, 'peek'>,
): RedirectLink | undefined {
  return isSlug(slug) ? links.peek(redirectId(host?.id ?? null, slug)) : undefined;
}
