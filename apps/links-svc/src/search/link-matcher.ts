import type { HostKeyRange } from '../links/link-keys.ts';
import { type FindTerm, termFinder } from './term-finder.ts';
import type { SearchedLink, TextBlock } from './text-blocks.ts';

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
}

/** Tests links for a search. */
export class LinkMatcher {
  readonly #search: TextSearch;
  readonly #findLongest: FindTerm;
  readonly #others: readonly string[];

  constructor(search: TextSearch) {
    // The longest term is the rarest one as a rule.
    const [longest, ...others] = [...search.terms].sort((a, b) => b.length - a.length);
    this.#search = search;
    this.#findLongest = termFinder(longest!);
    this.#others = others;
  }

  /**
   * Returns the ids of the links in the block that match the search. It never reads the texts of links in other states:
   * the time of a search must not depend on what a key cannot see.
   */
  idsIn(block: TextBlock): string[] {
    const { links } = block;
    const found: string[] = [];
    for (let from = 0, to = 0; from < links.length; from = to + 1) {
      to = from;
      while (to < links.length && this.#passes(links[to]!)) to++;
      if (to > from) found.push(...this.#idsWithTerms(block, from, to));
    }
    return found;
  }

  /** Returns true if a link has what the search wants, but for the terms. */
  #passes({ state, hashtags, host_key }: Omit<SearchedLink, 'search_text'>): boolean {
    const { states, hashtags: wanted, hosts } = this.#search;
    if (!states.includes(state)) return false;
    if (hosts !== undefined && (host_key <= hosts.$gt || host_key >= hosts.$lt)) return false;
    return wanted.every((hashtag) => hashtags.includes(hashtag));
  }

  /** Returns the ids of those links of the block, from one position to before another, whose texts have all terms. */
  #idsWithTerms({ links, text, ends }: TextBlock, from: number, to: number): string[] {
    const startOf = (link: number) => ends[link - 1] ?? 0;
    const found: string[] = [];
    const texts = text.slice(0, ends[to - 1]);
    let link = from;
    for (let at = this.#findLongest(texts, startOf(from)); at !== -1; at = this.#findLongest(texts, startOf(link))) {
      while (ends[link]! <= at) link++;
      const own = text.slice(startOf(link), ends[link]);
      if (this.#others.every((term) => own.includes(term))) found.push(links[link]!._id);
      link++;
    }
    return found;
  }
}
