import { AppError, foldHashtag, isMarkedHashtag, searchTerms } from '@waymark/contract';
import { foldForSearch } from '../search-text.ts';
import { redirectId } from '../slugs/redirect-id.ts';
import type { SlugOnHost } from '../slugs/short-urls.ts';

/** The conditions of a search. A link must meet all of them. */
export interface Search {
  /** Folded texts, all of which its search text contains. */
  terms: string[];
  /** Folded hashtags that the link must have. */
  hashtags: string[];
  /** The slug of a short URL. */
  slug: SlugOnHost | undefined;
}

/** The time of a search grows with its terms. */
const TERMS_MAX = 10;

/**
 * Parses `q`. Returns null if no link can match. A term that is a hashtag with `#`, or one of these short URLs, selects
 * that hashtag or that link. In any other term every character is literal.
 * @throws {AppError} `invalid` if it has too many different terms.
 */
export function parseSearch(q: string | undefined, shortUrls: ReadonlyMap<string, SlugOnHost>): Search | null {
  const hashtags = new Set<string>();
  const slugs = new Map<string, SlugOnHost>();
  const literals = new Set<string>();
  for (const term of searchTerms(q)) {
    const slug = shortUrls.get(term);
    if (slug !== undefined) slugs.set(redirectId(slug.hostId, slug.slugKey), slug);
    else if (isMarkedHashtag(term)) hashtags.add(foldHashtag(term));
    else literals.add(foldForSearch(term));
  }
  const count = hashtags.size + slugs.size + literals.size;
  if (count > TERMS_MAX)
    throw new AppError('invalid', `"q" must have at most ${TERMS_MAX} words; you sent ${count} different ones.`);
  // A link has only one slug, and no field can contain a control character or an unpaired surrogate.
  if (slugs.size > 1 || [...literals].some((term) => /[\p{Cc}\p{Cs}]/u.test(term))) return null;
  // A term that is part of another one matches wherever that one matches.
  const terms = [...literals].filter((term) => ![...literals].some((other) => other !== term && other.includes(term)));
  return { terms, hashtags: [...hashtags], slug: [...slugs.values()][0] };
}
