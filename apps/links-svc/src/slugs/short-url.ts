import { isReservedSlug, isSlug, slugKey } from '@waymark/contract';

/**
 * Returns the slug key of a short URL of this service as people paste it: with or without its scheme, in any case, with
 * encoded letters, and with a slash, a query or a fragment at its end. The link need not exist. Returns null for any
 * other text.
 */
export function slugKeyOfShortUrl(text: string, publicUrl: string): string | null {
  if (!text.includes('/')) return null;
  const base = new URL(publicUrl);
  const url = URL.parse(/^https?:/i.test(text) ? text : `${base.protocol}//${text}`);
  if (url === null || hostOf(url) !== hostOf(base) || url.username !== '') return null;
  const slug = decoded(url.pathname).replace(/^\/|\/$/g, '');
  return isSlug(slug) && !isReservedSlug(slug) ? slugKey(slug) : null;
}

/** Returns host and port. A host that ends with a dot is the same host. */
function hostOf({ hostname, port }: URL): string {
  return `${hostname.replace(/\.$/, '')}:${port}`;
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
