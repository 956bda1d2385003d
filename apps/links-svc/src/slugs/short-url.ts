import { isReservedSlug, isSlug, slugKey } from '@waymark/contract';

/** What a short URL says. Its host is null for the default one, and need not be a host of this service otherwise. */
export interface ShortUrl {
  host: string | null;
  slugKey: string;
}

/** Returns the short URL of a slug. `publicUrl` has no slash at its end; only its host is replaced by a short host. */
export function shortUrlOf({ host, slug }: { host: string | null; slug: string }, publicUrl: string): string {
  if (host === null) return `${publicUrl}/${slug}`;
  const { protocol, port } = new URL(publicUrl);
  return `${protocol}//${host}${port === '' ? '' : `:${port}`}/${slug}`;
}

/**
 * Parses a short URL as people paste it: with or without its scheme, in any case, with encoded letters, and with a slash,
 * a query or a fragment at its end. The link need not exist. Returns null for any other text.
 */
export function parseShortUrl(text: string, publicUrl: string): ShortUrl | null {
  if (!text.includes('/')) return null;
  const base = new URL(publicUrl);
  const url = URL.parse(/^https?:/i.test(text) ? text : `${base.protocol}//${text}`);
  if (url === null || url.port !== base.port || url.username !== '') return null;
  const slug = decoded(url.pathname).replace(/^\/|\/$/g, '');
  if (!isSlug(slug) || isReservedSlug(slug)) return null;
  const host = hostOf(url);
  return { host: host === hostOf(base) ? null : host, slugKey: slugKey(slug) };
}

/** A host that ends with a dot is the same host. */
function hostOf({ hostname }: URL): string {
  return hostname.replace(/\.$/, '');
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
