import { searchTerms } from '@waymark/contract';

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
 * Text without case, in any script. Both sides of a search and the title sort go through this one function. The two
 * small sigmas are one letter: lower-casing makes either of them, depending on what follows.
 */
export function foldCase(text: string): string {
  return text.toLowerCase().replaceAll('ς', 'σ');
}

/** The searched fields without case, each on a line of its own: a term holds no line break, so none spans two fields. */
export function searchTextOf(link: Searchable): string {
  const fields = [link.slug, link.title, link.destination_url, link.description, link.note, ...link.hashtags];
  return foldCase(fields.filter((field) => field !== null).join('\n'));
}

/** A search made ready: a pattern that a link's search text must match. */
export type Search = { kind: 'all' } | { kind: 'none' } | { kind: 'pattern'; pattern: string };

/**
 * The search that `q` asks for. No terms: every link matches. A term that no field can hold (a control character, an
 * unpaired surrogate): no link does. Else one regular expression, which costs the database one look at a link however
 * many terms there are; every character of a term is literal in it.
 */
export function parseSearch(q: string | undefined): Search {
  const terms = [...new Set(searchTerms(q).map(foldCase))];
  if (terms.some((term) => /[\p{Cc}\p{Cs}]/u.test(term))) return { kind: 'none' };
  // A term that another one contains is found wherever that one is.
  const needed = terms.filter((term) => !terms.some((other) => other !== term && other.includes(term)));
  const [first, ...rest] = needed.map(escapePattern);
  if (first === undefined) return { kind: 'all' };
  if (rest.length === 0) return { kind: 'pattern', pattern: first };
  return { kind: 'pattern', pattern: `^${[first, ...rest].map((term) => `(?=[\\s\\S]*${term})`).join('')}` };
}

/** The text as a pattern that matches it literally, in PCRE and in JavaScript. */
function escapePattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}
