import type { Link } from '@waymark/contract';
import { foldHashtag, HASH } from '../hashtags/hashtag-text.ts';
import { analytics as texts } from '../texts/analytics.ts';
import { nameOfLink } from './breakdown-rows.ts';

/** A filter that the search offers. */
export interface Suggestion {
  filter: 'link_id' | 'hashtag';
  value: string;
  name: string;
  detail: string;
}

const HASHTAGS_MAX = 4;
/** About what the API takes as a hashtag; it refuses the rest. */
const HASHTAG = /^[\p{L}\p{M}\p{N}_\-\u200c\u00b7\u30fb\u200d]{1,50}$/u;

/**
 * Returns the filters to offer for a text and the links that were found with it: hashtags that begin with it, then the
 * links. A text that begins with `#` finds only hashtags, and the typed one is offered, too: the
 * links that were found are only some.
 */
export function suggestionsOf(
  text: string,
  links: readonly Pick<Link, 'id' | 'slug' | 'short_url' | 'title' | 'destination_url' | 'hashtags'>[],
): Suggestion[] {
  const isHashtag = HASH.test(text);
  const start = foldHashtag(text);
  const hashtags = [...new Set(links.flatMap((link) => link.hashtags))].filter((each) => each.startsWith(start));
  const offered = hashtags.sort().slice(0, HASHTAGS_MAX);
  if (isHashtag && HASHTAG.test(start) && !offered.includes(start)) offered.push(start);
  return [
    ...offered.map(
      (hashtag): Suggestion => ({
        filter: 'hashtag',
        value: hashtag,
        name: texts.filters.hashtag(hashtag),
        detail: texts.search.hashtag,
      }),
    ),
    ...(isHashtag ? [] : links).map(
      (link): Suggestion => ({
        filter: 'link_id',
        value: link.id,
        name: nameOfLink(link),
        detail: link.title ?? link.destination_url,
      }),
    ),
  ];
}
