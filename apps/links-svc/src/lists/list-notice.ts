import { type LinkList, type ListLinksQuery, noticeOf, searchTerms } from '@waymark/contract';

/** Words between terms that other searches understand. Here they are text. */
const OPERATOR_WORDS = /^(?:OR|AND|NOT|\||\|\||&&)$/;
/** Terms that other searches understand. Here every character is text. */
const OPERATOR_TERMS = /^[-+!(]\S|["*,)]$|^"|\S,\S|^[a-z_]+:[^/]/i;

/** What is known about a list besides its links. */
export interface ListFacts {
  /** How many archived links match too. */
  archived: number;
  /** True if `host` is the default host or one of the account's. */
  isHostKnown: boolean;
  /** True if there are more destinations of duplicates than a list has. */
  isCut: boolean;
}

/** Returns the notice of a list: why it is empty, or smaller than its client may expect. */
export function listNotice(query: ListLinksQuery, list: LinkList, facts: ListFacts): { notice?: string } {
  const isEmpty = list.total === 0;
  return noticeOf([
    archivedNotice(facts.archived),
    operatorsNotice(query.q, isEmpty),
    isEmpty && query.destination_url?.endsWith('*')
      ? '"destination_url" is one whole URL, without wildcards; "domain" and "q" find parts of URLs.'
      : undefined,
    isEmpty && !facts.isHostKnown
      ? `This account has no short host ${JSON.stringify(query.host)}; "domain" finds links by the host of their destination.`
      : undefined,
    facts.isCut ? 'More destinations have duplicates than one list; deal with these, then list again.' : undefined,
  ]);
}

/** Returns the sentence about archived links that match too, if there are some. */
export function archivedNotice(archived: number): string | undefined {
  if (archived === 0) return undefined;
  const links = archived === 1 ? '1 archived link also matches' : `${archived} archived links also match`;
  return `${links}; send "archived" any to include ${archived === 1 ? 'it' : 'them'}.`;
}

function operatorsNotice(q: string | undefined, isEmpty: boolean): string | undefined {
  const terms = searchTerms(q);
  const operators = terms.filter((term) => OPERATOR_WORDS.test(term) || (isEmpty && OPERATOR_TERMS.test(term)));
  if (operators.length === 0) return undefined;
  return `"q" has no operators, so ${operators.slice(0, 3).map(shown).join(', ')} must occur as text, and so must every other term. Search for plain words, one call for each alternative; #word finds a hashtag.`;
}

function shown(term: string): string {
  return JSON.stringify(term.length > 40 ? `${term.slice(0, 40)}…` : term);
}
