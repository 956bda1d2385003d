import { isReservedSlug, isSlug, slugKey } from '@waymark/contract';

/**
 * Returns the slug key of a short URL of this service as people paste it: with or without its scheme, in any case, and
 * with a slash, a query or a fragment at its end. Returns null for any other text.
 */
export function slugKeyOfShortUrl(text: string, publicUrl: string): string | null {
  if (!text.includes('/')) return null;
  const base = new URL(publicUrl);
  const url = URL.parse(/^https?:/i.test(text) ? text : `${base.protocol}//${text}`);
  if (url === null || url.host !== base.host || url.username !== '') return null;
  const folder = base.pathname.replace(/\/?$/, '/');
  if (!url.pathname.startsWith(folder)) return null;
  const slug = url.pathname.slice(folder.length).replace(/\/$/, '');
  return isSlug(slug) && !isReservedSlug(slug) ? slugKey(slug) : null;
}
