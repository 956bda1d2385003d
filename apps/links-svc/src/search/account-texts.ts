import { blocksOf, linksOf, type SearchedLink, type TextBlock } from './text-blocks.ts';

/** The folded search texts of one account, in memory. */
export class AccountTexts {
  #blocks: readonly TextBlock[] = [];
  #bytes = 0;

  /** The links in the order of their ids, as they are now. Later changes make other blocks. */
  get blocks(): readonly TextBlock[] {
    return this.#blocks;
  }

  /** The memory of all texts, about. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Adds links in the order of their ids, which must follow those that were added before. */
  add(links: readonly SearchedLink[]): void {
    this.#set([...this.#blocks, ...blocksOf(links)]);
  }

  /** Replaces the links with these ids by those that still exist. */
  replace(ids: readonly string[], links: readonly SearchedLink[]): void {
    const existing = new Map(links.map((link) => [link._id, link]));
    const left = [...ids].sort();
    const blocks = this.#blocks.flatMap((block, at) => {
      const next = this.#blocks[at + 1]?.links[0]?._id;
      const count = next === undefined ? left.length : left.findIndex((id) => id >= next);
      const replaced = left.splice(0, count === -1 ? left.length : count);
      return replaced.length === 0 ? block : blocksOf(merged(linksOf(block), replaced, existing));
    });
    this.#set([...blocks, ...blocksOf(merged([], left, existing))]);
  }

  #set(blocks: readonly TextBlock[]): void {
    this.#blocks = blocks;
    this.#bytes = blocks.reduce((sum, { bytes }) => sum + bytes, 0);
  }
}

/** Returns links after those with these ids were replaced by those that still exist, in the order of their ids. */
function merged(
  links: readonly SearchedLink[],
  replaced: readonly string[],
  existing: ReadonlyMap<string, SearchedLink>,
): SearchedLink[] {
  const ids = new Set(replaced);
  return [...links.filter(({ _id }) => !ids.has(_id)), ...replaced.flatMap((id) => existing.get(id) ?? [])].sort(
    (a, b) => (a._id < b._id ? -1 : 1),
  );
}
