import { isSlug, slugKey } from '@waymark/contract';
import type { ChangeReads } from '../changes/change.ts';
import { isLinkId } from '../database/ids.ts';
import { redirectId } from '../slugs/redirect-id.ts';
import { slugKeyOfShortUrl } from '../slugs/short-url.ts';

/** What names a link: its id, or its slug on a host. Null is the default host, and there is no other one yet. */
export type LinkRef = { id: string } | { host: null; slugKey: string };

/**
 * Returns what a text names: an id, a short URL or a slug, the last two in any case. Returns null for other texts. A text
 * with the form of an id is never a slug, so that no slug can be taken for the id of another link: a link with such a
 * slug is found by its short URL. `publicUrl` is the beginning of every short URL.
 */
export function linkRefOf(text: string, publicUrl: string): LinkRef | null {
  if (isLinkId(text)) return { id: text };
  const key = slugKeyOfShortUrl(text, publicUrl) ?? (isSlug(text) && !isLinkId(slugKey(text)) ? slugKey(text) : null);
  return key === null ? null : refOfSlug(key);
}

/** Returns the reference to the link that has this slug, in any case, on the default host. */
export function refOfSlug(slug: string): Extract<LinkRef, { slugKey: string }> {
  return { host: null, slugKey: slugKey(slug) };
}

/** Returns what a change looks at to find the link. */
export function readsOfRef(ref: LinkRef): ChangeReads {
  if ('id' in ref) return { links: [ref.id] };
  return { redirects: [redirectId(ref.host, ref.slugKey)], linksOfRedirects: true };
}
