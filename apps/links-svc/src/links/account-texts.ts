import { setImmediate as nextTurn } from 'node:timers/promises';

/** What a search reads of a link. */
export interface SearchedLink {
  _id: string;
  search_text: string;
  state: string;
}

/** The memory of a link besides its text: its id, its state and the objects that hold them. */
const LINK_BYTES = 200;
/** How many links a search reads before it looks at the clock. */
const LINKS_AT_A_TIME = 500;
/** How long a search runs before other work gets its turn. */
const SLICE_MS = 5;

/**
 * The folded search texts of one account, in memory. Links that changed after the texts were loaded are kept
 * separately.
 */
export class AccountTexts {
  /** In the order of the ids. */
  readonly #links: SearchedLink[] = [];
  /** The links that changed since. Null stands for a link that is gone. */
  readonly #changed = new Map<string, SearchedLink | null>();
  #bytes = 0;

  /** The memory of all texts, about. */
  get bytes(): number {
    return this.#bytes;
  }

  get changes(): number {
    return this.#changed.size;
  }

  /** Adds a link. Links must be added in the order of their ids. */
  add(link: SearchedLink): void {
    this.#links.push(link);
    this.#bytes += bytesOf(link);
  }

  /** Records the present text of a link, or null if the link is gone. */
  change(id: string, link: SearchedLink | null): void {
    this.#bytes += bytesOf(link) - (this.#changed.has(id) ? bytesOf(this.#changed.get(id)!) : 0);
    this.#changed.set(id, link);
  }

  /**
   * Returns the ids of the links in one of these states whose texts contain all terms, in ascending order. Lets other
   * work run in between; changes that are recorded meanwhile do not count.
   */
  async find(terms: readonly string[], states: readonly string[]): Promise<string[]> {
    // The longest term is the rarest one as a rule.
    const ordered = [...terms].sort((a, b) => b.length - a.length);
    const matches = ({ search_text, state }: SearchedLink) =>
      states.includes(state) && ordered.every((term) => search_text.includes(term));
    const changed = new Map(this.#changed);
    const found: string[] = [];
    let sliceEnd = performance.now() + SLICE_MS;
    for (let from = 0; from < this.#links.length; from += LINKS_AT_A_TIME) {
      const end = Math.min(from + LINKS_AT_A_TIME, this.#links.length);
      for (let at = from; at < end; at++) {
        const link = this.#links[at]!;
        if (matches(link) && !changed.has(link._id)) found.push(link._id);
      }
      if (performance.now() < sliceEnd) continue;
      await nextTurn();
      sliceEnd = performance.now() + SLICE_MS;
    }
    const unchanged = found.length;
    for (const link of changed.values()) if (link !== null && matches(link)) found.push(link._id);
    return found.length === unchanged ? found : found.sort();
  }
}

/** Returns the memory of a link, about. A text with a character outside of ASCII takes two bytes for each character. */
function bytesOf(link: SearchedLink | null): number {
  if (link === null) return LINK_BYTES;
  const { length } = link.search_text;
  return LINK_BYTES + length * (Buffer.byteLength(link.search_text) === length ? 1 : 2);
}
