import { hostOfUrl, isReservedSlug, isSlug, slugKey } from '@waymark/contract';

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
 * a query or a fragment at its end. The link need not exist. On each of the service's own URLs it is one of the default
 * host; any other host must have the port of one of them. Returns null for any other text.
 */
export function parseShortUrl(text: string, ownUrls: readonly string[]): ShortUrl | null {
  if (!text.includes('/')) return null;
  const own = ownUrls.map((url) => new URL(url));
  const url = URL.parse(/^https?:/i.test(text) ? text : `${own[0]!.protocol}//${text}`);
  const bases = own.filter(({ port }) => port === url?.port);
  if (url === null || bases.length === 0 || url.username !== '') return null;
  const slug = decoded(url.pathname).replace(/^\/|\/$/g, '');
  if (!isSlug(slug) || isReservedSlug(slug)) return null;
  const host = hostOfUrl(url);
  return { host: bases.some((base) => hostOfUrl(base) === host) ? null : host, slugKey: slugKey(slug) };
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
