import type { LinkDocument } from '../database/documents/link.ts';

/** What a search reads of a link. */
export type SearchedLink = Pick<LinkDocument, '_id' | 'search_text' | 'state' | 'hashtags' | 'host_key' | 'expires_at'>;
export const SEARCHED_LINK = { search_text: 1, state: 1, hashtags: 1, host_key: 1, expires_at: 1 } as const;

/**
 * Consecutive links, which never change. Their texts are one string, because reading a long string is several times
 * faster than reading many short ones that lie anywhere in memory.
 */
export interface TextBlock {
  readonly links: readonly Omit<SearchedLink, 'search_text'>[];
  /** The state of all of them, or null if they differ. */
  readonly state: string | null;
  /** The texts, one after another, each with a line break behind it. No term has one, so none matches across texts. */
  readonly text: string;
  /** The position in the string where each link's text ends. */
  readonly ends: readonly number[];
  /** Its memory, about. */
  readonly bytes: number;
}

/** The length of a block's text, unless one link has a longer one. So testing a block never takes long. */
const BLOCK_LENGTH = 8_192;
/** The memory of a link besides its texts and in kept matches, of each of its hashtags, and of the time when it expires. */
const LINK_BYTES = 430;
const HASHTAG_BYTES = 40;
const DATE_BYTES = 100;

/** Returns links, in the order of their ids, as blocks. */
export function blocksOf(links: readonly SearchedLink[]): TextBlock[] {
  const blocks: TextBlock[] = [];
  let [first, length] = [0, 0];
  for (const [at, { search_text }] of links.entries()) {
    if (length + search_text.length > BLOCK_LENGTH && at > first) {
      blocks.push(blockOf(links.slice(first, at)));
      [first, length] = [at, 0];
    }
    length += search_text.length;
  }
  if (first < links.length) blocks.push(blockOf(links.slice(first)));
  return blocks;
}

/** Returns blocks in which the links with these ids are replaced by those that still exist. */
export function replaceLinks(
  blocks: readonly TextBlock[],
  ids: readonly string[],
  existing: readonly SearchedLink[],
): TextBlock[] {
  const links = new Map(existing.map((link) => [link._id, link]));
  const left = [...ids].sort().reverse();
  return (blocks.length === 0 ? [blockOf([])] : blocks).flatMap((block, at) => {
    const nextId = blocks[at + 1]?.links[0]?._id;
    const replaced = new Set<string>();
    while (left.length > 0 && (nextId === undefined || left.at(-1)! < nextId)) replaced.add(left.pop()!);
    if (replaced.size === 0) return block;
    const others = linksOf(block).filter(({ _id }) => !replaced.has(_id));
    const changed = [...replaced].flatMap((id) => links.get(id) ?? []);
    return blocksOf([...others, ...changed].sort((a, b) => (a._id < b._id ? -1 : 1)));
  });
}

function linksOf({ links, text, ends }: TextBlock): SearchedLink[] {
  return links.map((link, at) => ({ ...link, search_text: text.slice(ends[at - 1] ?? 0, ends[at]! - 1) }));
}

function blockOf(links: readonly SearchedLink[]): TextBlock {
  const text = links.map(({ search_text }) => `${search_text}\n`).join('');
  let end = 0;
  let hashtags = 0;
  let dates = 0;
  for (const link of links) {
    hashtags += link.hashtags.length;
    if (link.expires_at instanceof Date) dates += 1;
  }
  return {
    links: links.map(({ _id, state, hashtags, host_key, expires_at }) => ({
      _id,
      state,
      hashtags,
      host_key,
      expires_at,
    })),
    state: new Set(links.map(({ state }) => state)).size === 1 ? links[0]!.state : null,
    text,
    ends: links.map(({ search_text }) => (end += search_text.length + 1)),
    // A text with a character outside of ASCII takes two bytes for each character.
    bytes:
      text.length * (Buffer.byteLength(text) === text.length ? 1 : 2) +
      links.length * LINK_BYTES +
      hashtags * HASHTAG_BYTES +
      dates * DATE_BYTES,
  };
}
