import { foldText } from '@waymark/contract';

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
 * Folds text for searching and for sorting by title, so that case, width and Unicode normalization do not matter. Upper-casing
 * in between gives the full case folding of Unicode: `ß` becomes `ss`, and `ﬁ` becomes `fi`. `İ` and `ı` become `i`.
 * Lower-casing gives one of two forms of sigma, depending on what follows, so both become the same letter.
 */
export function foldForSearch(text: string): string {
  const upper = foldText(limitMarks(usualWidth(text))).toUpperCase();
  return foldText(upper).replaceAll('i\u0307', 'i').replaceAll('ς', 'σ').normalize('NFC');
}

/** Returns the text with letters, digits and kana of full and half width in their usual width. */
function usualWidth(text: string): string {
  return text.replace(/[\u3000\uff01-\uffee]+/g, (run) => run.normalize('NFKC'));
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
