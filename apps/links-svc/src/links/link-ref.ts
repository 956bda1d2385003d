import { isSlug, slugKey } from '@waymark/contract';
import type { ChangeReads } from '../changes/change.ts';
import { isLinkId } from '../database/ids.ts';
import { redirectId } from '../slugs/redirect-id.ts';
import type { ShortUrls, SlugOnHost } from '../slugs/short-urls.ts';

/** What names a link: its id, or its slug on a host. */
export type LinkRef = { id: string } | SlugOnHost;

/**
 * Returns what a text names for an account: an id, a short URL on any of its hosts, or a slug on the default host, the last
 * two in any case. Returns null for other texts. A text with the form of an id is never a slug, so that no slug can be
 * taken for the id of another link: a link with such a slug is found by its short URL.
 */
export async function linkRefOf(
  text: string,
  accountId: string,
  shortUrls: Pick<ShortUrls, 'find'>,
): Promise<LinkRef | null> {
  if (isLinkId(text)) return { id: text };
  const url = (await shortUrls.find(accountId, [text])).get(text);
  if (url !== undefined) return url;
  return isSlug(text) && !isLinkId(slugKey(text)) ? { hostId: null, slugKey: slugKey(text) } : null;
}

/** Returns what a change looks at to find the link. */
export function readsOfRef(ref: LinkRef): ChangeReads {
  if ('id' in ref) return { links: [ref.id] };
  return { redirects: [redirectId(ref.hostId, ref.slugKey)], linksOfRedirects: true };
}
