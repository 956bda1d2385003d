import type { IdRange } from '../database/ids.ts';
import type { HostKeyRange } from '../links/indexed-values.ts';
import { type FindTerm, termFinder } from './term-finder.ts';
import type { SearchedLink, TextBlock } from './text-blocks.ts';

/** Whether a link must have expired by a time, or not. */
export interface Expiry {
  isExpired: boolean;
  at: Date;
}

/** What a link must have to be found. */
export interface TextSearch {
  /** Folded texts that its search text contains, at least one. */
  terms: readonly string[];
  /** Its state is one of these. */
  states: readonly string[];
  /** Folded hashtags, all of which it has. */
  hashtags: readonly string[];
  /** The range of its host key, if the search names a domain. */
  hosts: HostKeyRange | undefined;
  /** The range of its id, if the search names a time of creation. */
  ids: IdRange | undefined;
  expiry: Expiry | undefined;
}

/** Tests links for a search. */
export class LinkMatcher {
  readonly #search: TextSearch;
  /** True if a link needs nothing but its state and the terms. */
  readonly #isByState: boolean;
  readonly #findLongest: FindTerm;
  readonly #others: readonly string[];

  constructor(search: TextSearch) {
    // The longest term is the rarest one as a rule.
    const [longest, ...others] = [...search.terms].sort((a, b) => b.length - a.length);
    const { hashtags, hosts, ids, expiry } = search;
    this.#search = search;
    this.#isByState = hashtags.length === 0 && [hosts, ids, expiry].every((one) => one === undefined);
    this.#findLongest = termFinder(longest!);
    this.#others = others;
  }

  /**
   * Returns the ids of the links in the block that match the search. It never reads the texts of links in other states:
   * the time of a search must not depend on what a key cannot see.
   */
  idsIn(block: TextBlock): string[] {
    const { links, state } = block;
    if (state !== null && !this.#search.states.includes(state)) return [];
    if (state !== null && this.#isByState) return this.#idsWithTerms(block, 0, links.length);
    const found: string[] = [];
    for (let from = 0, to = 0; from < links.length; from = to + 1) {
      to = from;
      while (to < links.length && this.#passes(links[to]!)) to++;
      if (to > from) found.push(...this.#idsWithTerms(block, from, to));
    }
    return found;
  }

  /** Returns true if a link has what the search wants, but for the terms. */
  #passes({ _id, state, hashtags, host_key, expires_at }: Omit<SearchedLink, 'search_text'>): boolean {
    const { states, hashtags: wanted, hosts, ids, expiry } = this.#search;
    if (!states.includes(state)) return false;
    if (ids !== undefined && (_id <= ids.$gt || _id >= ids.$lt)) return false;
    if (hosts !== undefined && (host_key <= hosts.$gt || host_key >= hosts.$lt)) return false;
    if (expiry !== undefined && isExpired(expires_at, expiry.at) !== expiry.isExpired) return false;
    return wanted.every((hashtag) => hashtags.includes(hashtag));
  }

  /** Returns the ids of those links of the block, from one position to before another, whose texts have all terms. */
  #idsWithTerms({ links, text, ends }: TextBlock, from: number, to: number): string[] {
    const startOf = (link: number) => ends[link - 1] ?? 0;
    const found: string[] = [];
    const texts = text.slice(0, ends[to - 1]);
    let link = from;
    for (let at = this.#findLongest(texts, startOf(from)); at !== -1; ) {
      while (ends[link]! <= at) link++;
      if (this.#others.length === 0 || this.#hasOthers(text.slice(startOf(link), ends[link])))
        found.push(links[link]!._id);
      at = this.#findLongest(texts, ends[link++]!);
    }
    return found;
  }

  #hasOthers(text: string): boolean {
    return this.#others.every((term) => text.includes(term));
  }
}

function isExpired(expiresAt: Date | null, at: Date): boolean {
  return expiresAt !== null && expiresAt <= at;
}
