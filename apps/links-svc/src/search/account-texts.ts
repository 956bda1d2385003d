import { LRUCache } from 'lru-cache';
import type { LinkDocument } from '../links/link.ts';
import type { HostKeyRange } from '../links/link-keys.ts';
import { type FindTerm, termFinder } from './term-finder.ts';

/** What a search reads of a link. */
export type SearchedLink = Pick<LinkDocument, '_id' | 'search_text' | 'state' | 'hashtags' | 'host_key'>;

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

/**
 * Consecutive links. Their texts are one string, because reading a long string is several times faster than reading
 * many short ones that lie anywhere in memory.
 */
interface Block {
  ids: string[];
  states: string[];
  hashtags: (readonly string[])[];
  hostKeys: string[];
  /** The texts, one after another, each with a line break behind it. No term has one, so none matches across texts. */
  text: string;
  /** The position in the string where each link's text ends. */
  ends: number[];
}

/** The memory of a link besides its texts: its id, its place, its list of hashtags, and its entries in kept matches. */
const LINK_BYTES = 180;
/** The memory of a text that links share, besides its characters. */
const SHARED_BYTES = 100;
/** The memory of a reference to such a text. */
const REFERENCE_BYTES = 8;
/** For how many searches the matches are kept. Who reads page after page searches the texts once. */
const KEPT_SEARCHES = 4;
const LINKS_PER_BLOCK = 200;
/** How long a search runs before other work gets its turn. */
const SLICE_MS = 5;

/** Runs a slice of a search when its turn comes. */
export type RunSlice = (slice: () => void) => Promise<void>;

/**
 * The folded search texts of one account, in memory. Links that changed after the texts were loaded are kept
 * separately.
 */
export class AccountTexts {
  /** In the order of the ids. */
  readonly #blocks: Block[] = [];
  /** The links that changed since. Null stands for a link that is gone. */
  readonly #changed = new Map<string, SearchedLink | null>();
  /** The matches of the last searches in the blocks, which never change. */
  readonly #matches = new LRUCache<string, readonly string[]>({ max: KEPT_SEARCHES });
  /** One copy of each hashtag and host key, which many links share. */
  readonly #shared = new Map<string, string>();
  #bytes = 0;

  /** The memory of all texts, about. */
  get bytes(): number {
    return this.#bytes;
  }

  get changes(): number {
    return this.#changed.size;
  }

  /** Returns true if the link was recorded as gone. */
  isGone(id: string): boolean {
    return this.#changed.get(id) === null;
  }

  /** Adds links in the order of their ids, which must follow those that were added before. Call it before `find`. */
  add(links: readonly SearchedLink[]): void {
    for (let from = 0; from < links.length; from += LINKS_PER_BLOCK) {
      const block = this.#blockOf(links.slice(from, from + LINKS_PER_BLOCK));
      this.#blocks.push(block);
      const references = block.hashtags.reduce((sum, { length }) => sum + length, 0);
      this.#bytes += bytesOf(block.text) + block.ids.length * LINK_BYTES + references * REFERENCE_BYTES;
    }
  }

  #blockOf(links: readonly SearchedLink[]): Block {
    let end = 0;
    return {
      ids: links.map(({ _id }) => _id),
      states: links.map(({ state }) => state),
      hashtags: links.map(({ hashtags }) => hashtags.map((one) => this.#share(one))),
      hostKeys: links.map(({ host_key }) => this.#share(host_key)),
      text: links.map(({ search_text }) => `${search_text}\n`).join(''),
      ends: links.map(({ search_text }) => (end += search_text.length + 1)),
    };
  }

  #share(text: string): string {
    const known = this.#shared.get(text);
    if (known !== undefined) return known;
    this.#shared.set(text, text);
    this.#bytes += bytesOf(text) + SHARED_BYTES;
    return text;
  }

  /** Records the present text of a link, or null if the link is gone. */
  change(id: string, link: SearchedLink | null): void {
    const previous = this.#changed.get(id);
    if (previous === undefined) this.#bytes += LINK_BYTES;
    this.#bytes += changedBytes(link) - changedBytes(previous);
    this.#changed.set(id, link);
  }

  /** Returns the ids of the links that match the search, in ascending order. Runs in slices of a few milliseconds. */
  async find(search: TextSearch, runSlice: RunSlice): Promise<readonly string[]> {
    const key = JSON.stringify(search);
    const matches = this.#matches.get(key) ?? (await this.#findInBlocks(search, runSlice));
    this.#matches.set(key, matches);
    if (this.#changed.size === 0) return matches;
    const found = matches.filter((id) => !this.#changed.has(id));
    const unchanged = found.length;
    for (const link of this.#changed.values()) if (link !== null && isMatch(link, search)) found.push(link._id);
    return found.length === unchanged ? found : found.sort();
  }

  async #findInBlocks(search: TextSearch, runSlice: RunSlice): Promise<string[]> {
    // The longest term is the rarest one as a rule.
    const [longest, ...others] = [...search.terms].sort((a, b) => b.length - a.length);
    const find = termFinder(longest!);
    const found: string[] = [];
    for (let next = 0; next < this.#blocks.length; ) {
      await runSlice(() => {
        const sliceEnd = performance.now() + SLICE_MS;
        do {
          const block = this.#blocks[next++]!;
          for (const at of linksWith(block, search, find, others)) found.push(block.ids[at]!);
        } while (next < this.#blocks.length && performance.now() < sliceEnd);
      });
    }
    return found;
  }
}

function isMatch({ search_text, state, hashtags, host_key }: SearchedLink, search: TextSearch): boolean {
  return passes(search, state, hashtags, host_key) && search.terms.every((term) => search_text.includes(term));
}

/** Returns true if a link has what a search wants, but for its terms. */
function passes(
  { states, hashtags: wanted, hosts }: TextSearch,
  state: string,
  hashtags: readonly string[],
  hostKey: string,
): boolean {
  if (!states.includes(state)) return false;
  if (hosts !== undefined && (hostKey <= hosts.$gt || hostKey >= hosts.$lt)) return false;
  return wanted.every((hashtag) => hashtags.includes(hashtag));
}

/**
 * Returns the positions of the links in the block that match the search: `find` finds its longest term, and `others` are
 * the others. It never reads the texts of links in other states: the time of a search must not depend on what a key
 * cannot see.
 */
function linksWith(block: Block, search: TextSearch, find: FindTerm, others: readonly string[]): number[] {
  const { ids, states, hashtags, hostKeys } = block;
  const passesAt = (at: number) => passes(search, states[at]!, hashtags[at]!, hostKeys[at]!);
  const found: number[] = [];
  for (let from = 0; from < ids.length; from++) {
    if (!passesAt(from)) continue;
    let to = from + 1;
    while (to < ids.length && passesAt(to)) to++;
    found.push(...consecutiveLinksWith(block, from, to, find, others));
    from = to;
  }
  return found;
}

function consecutiveLinksWith(
  { text, ends }: Block,
  from: number,
  to: number,
  find: FindTerm,
  others: readonly string[],
): number[] {
  const found: number[] = [];
  const offset = ends[from - 1] ?? 0;
  const texts = text.slice(offset, ends[to - 1]);
  let link = from;
  for (let at = find(texts, 0); at !== -1; at = find(texts, ends[link++]! - offset)) {
    while (ends[link]! - offset <= at) link++;
    const own = texts.slice((ends[link - 1] ?? 0) - offset, ends[link]! - offset);
    if (others.every((term) => own.includes(term))) found.push(link);
  }
  return found;
}

/** Returns the memory of a changed link, about. It shares no text, and its search text has its hashtags a second time. */
function changedBytes(link: SearchedLink | null | undefined): number {
  return link == null ? 0 : 2 * bytesOf(link.search_text) + link.hashtags.length * SHARED_BYTES;
}

/** Returns the memory of a text, about. One with a character outside of ASCII takes two bytes for each character. */
function bytesOf(text: string): number {
  return text.length * (Buffer.byteLength(text) === text.length ? 1 : 2);
}
