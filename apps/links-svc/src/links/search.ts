import { foldHashtag, foldText, isHashtag, searchTerms } from '@waymark/contract';
import { slugKeyOfShortUrl } from './short-url.ts';

/** What is searched of a link. */
export interface Searchable {
  slug: string;
  title: string | null;
  destination_url: string;
  description: string | null;
  note: string | null;
  hashtags: readonly string[];
}

/**
 * Folds text for the search and for the title sort, so that neither case nor Unicode normalization matters. The two
 * small sigmas are one letter: lower-casing makes either of them, depending on what follows.
 */
export function foldForSearch(text: string): string {
  return foldText(limitMarks(text)).replaceAll('ς', 'σ');
}

/**
 * Interrupts runs of more than 30 combining marks, which no language has: normalizing a run takes time that is quadratic
 * in its length. This is the Stream-Safe Text Format of https://unicode.org/reports/tr15/.
 */
function limitMarks(text: string): string {
  return text.replace(/(\p{M}{30})(?=\p{M})/gu, '$1\u034f');
}

/** The folded fields of a link, each on a line of its own: a term holds no line break, so none spans two fields. */
export function searchTextOf(link: Searchable): string {
  const fields = [link.slug, link.title, link.destination_url, link.description, link.note, ...link.hashtags];
  return foldForSearch(fields.filter((field) => field !== null).join('\n'));
}

/** What a link must have to be found; all of it. */
export interface Search {
  /** A regular expression that the link's search text must match. */
  pattern: string | undefined;
  /** Folded hashtags. */
  hashtags: string[];
  slugKey: string | undefined;
}

/**
 * Parses `q`; null if no link can be found. A term that is `#` and a hashtag, or a short URL of this service, stands
 * for that hashtag or that link; every character of any other term is literal.
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
  // A link has one slug, and no field holds a control character or an unpaired surrogate.
  if (slugKeys.size > 1 || [...literals].some((term) => /[\p{Cc}\p{Cs}]/u.test(term))) return null;
  return { pattern: patternOf([...literals]), hashtags: [...hashtags], slugKey: [...slugKeys][0] };
}

/**
 * One regular expression for all terms, which costs the database one look at a link however many terms there are;
 * undefined without terms.
 */
function patternOf(terms: string[]): string | undefined {
  // A term that another one contains is found wherever that one is.
  const needed = terms.filter((term) => !terms.some((other) => other !== term && other.includes(term)));
  const [first, ...rest] = needed.map(escapePattern);
  if (first === undefined || rest.length === 0) return first;
  return `^${[first, ...rest].map((term) => `(?=[\\s\\S]*${term})`).join('')}`;
}

/** The text as a pattern that matches it literally, in PCRE and in JavaScript. */
function escapePattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}
