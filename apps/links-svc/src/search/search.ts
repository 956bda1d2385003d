import { AppError, foldHashtag, foldText, isHashtag, searchTerms } from '@waymark/contract';
import { slugKeyOfShortUrl } from '../slugs/short-url.ts';

/** The searched fields of a link. */
export interface Searchable {
  slug: string;
  title: string | null;
  destination_url: string;
  description: string | null;
  note: string | null;
  hashtags: readonly string[];
}

/**
 * Folds text for searching and for sorting by title, so that case and Unicode normalization do not matter. Lower-casing
 * gives one of two forms of sigma, depending on what follows, so both become the same letter.
 */
export function foldForSearch(text: string): string {
  return foldText(limitMarks(text)).replaceAll('ς', 'σ');
}

/**
 * Interrupts runs of more than 30 combining marks, which occur in no language. Normalizing a run takes quadratic time.
 * This is the Stream-Safe Text Format of https://unicode.org/reports/tr15/.
 */
function limitMarks(text: string): string {
  return text.replace(/(\p{M}{30})(?=\p{M})/gu, '$1\u034f');
}

/**
 * Returns the folded fields of a link, one on each line. A term has no line break, so it cannot match across two
 * fields.
 */
export function searchTextOf(link: Searchable): string {
  const fields = [link.slug, link.title, link.destination_url, link.description, link.note, ...link.hashtags];
  return foldForSearch(fields.filter((field) => field !== null).join('\n'));
}

/** The conditions of a search. A link must meet all of them. */
export interface Search {
  /** Folded texts, all of which its search text contains. */
  terms: string[];
  /** Folded hashtags that the link must have. */
  hashtags: string[];
  slugKey: string | undefined;
}

/** The time of a search grows with its terms. */
const TERMS_MAX = 10;

/**
 * Parses `q`. Returns null if no link can match. A term that is a hashtag with `#`, or a short URL of this service,
 * selects that hashtag or that link. In any other term every character is literal.
 * @throws {AppError} `invalid` if it has too many different terms.
 */
export function parseSearch(q: string | undefined, publicUrl: string): Search | null {
  const hashtags = new Set<string>();
  const slugKeys = new Set<string>();
  const literals = new Set<string>();
  for (const term of searchTerms(q)) {
    const slugKey = slugKeyOfShortUrl(term, publicUrl);
    if (slugKey !== null) slugKeys.add(slugKey);
    else if (term.startsWith('#') && isHashtag(term)) hashtags.add(foldHashtag(term));
    else literals.add(foldForSearch(term));
  }
  const count = hashtags.size + slugKeys.size + literals.size;
  if (count > TERMS_MAX)
    throw new AppError('invalid', `"q" must have at most ${TERMS_MAX} words; you sent ${count} different ones.`);
  // A link has only one slug, and no field can contain a control character or an unpaired surrogate.
  if (slugKeys.size > 1 || [...literals].some((term) => /[\p{Cc}\p{Cs}]/u.test(term))) return null;
  // A term that is part of another one matches wherever that one matches.
  const terms = [...literals].filter((term) => ![...literals].some((other) => other !== term && other.includes(term)));
  return { terms, hashtags: [...hashtags], slugKey: [...slugKeys][0] };
}
