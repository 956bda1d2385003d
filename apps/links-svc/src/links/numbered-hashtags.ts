import { AppError } from '@waymark/contract';
import { clicksIdOf } from './clicks-id.ts';
import type { LinkHashtags } from './links.store.ts';

/** Hashtags of a piece of the links. Each hashtag has a number, because most of them are on many links. */
export interface NumberedHashtags {
  /** The hashtags that no earlier piece has. All of them are numbered from 1. */
  hashtags: string[];
  linkIds: string[];
  /** How many hashtags each of the links has. */
  hashtagCounts: number[];
  /** The numbers of the hashtags of the first link, then of the second one, and so on. */
  hashtagNumbers: number[];
}

/**
 * More hashtags than this, of all links together, would take longer to count clicks by than a question may. With these
 * bounds and that of the links, the list fits into a statement.
 */
const HASHTAGS_MAX = 2_000_000;
const DIFFERENT_HASHTAGS_MAX = 50_000;

/**
 * Numbers the hashtags of links, piece by piece.
 * @throws {AppError} `invalid` if there are too many.
 */
export async function* numberHashtags(
  pieces: AsyncIterable<readonly LinkHashtags[]>,
  linksMax: number,
): AsyncGenerator<NumberedHashtags> {
  const numbers = new Map<string, number>();
  let links = 0;
  let hashtags = 0;
  for await (const piece of pieces) {
    const numbered: NumberedHashtags = { hashtags: [], linkIds: [], hashtagCounts: [], hashtagNumbers: [] };
    for (const { hashtags, ...link } of piece) {
      numbered.linkIds.push(clicksIdOf(link));
      numbered.hashtagCounts.push(hashtags.length);
      for (const hashtag of hashtags) {
        const known = numbers.get(hashtag);
        const number = known ?? numbers.size + 1;
        if (known === undefined) {
          numbers.set(hashtag, number);
          numbered.hashtags.push(hashtag);
        }
        numbered.hashtagNumbers.push(number);
      }
    }
    links += piece.length;
    hashtags += numbered.hashtagNumbers.length;
    requireAtMost(linksMax, links, 'links have hashtags');
    requireAtMost(HASHTAGS_MAX, hashtags, 'hashtags are on links');
    requireAtMost(DIFFERENT_HASHTAGS_MAX, numbers.size, 'different hashtags are on links');
    yield numbered;
  }
}

function requireAtMost(max: number, count: number, what: string): void {
  if (count > max)
    throw new AppError(
      'invalid',
      `More than ${max.toLocaleString('en')} ${what}; send "link_id" or a "hashtag" of fewer links.`,
    );
}
