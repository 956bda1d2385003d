import { describe, expect, test } from 'vitest';
import type { LinkHashtags } from './links.store.ts';
import { numberHashtags } from './numbered-hashtags.ts';

const LINKS_MAX = 500_000;

/** Yields links, as many as `hashtagsOf` is asked for, in pieces of 1,000. */
async function* piecesOf(count: number, hashtagsOf: (link: number) => string[]): AsyncGenerator<LinkHashtags[]> {
  for (let from = 0; from < count; from += 1_000)
    yield Array.from({ length: Math.min(1_000, count - from) }, (_, n) => ({
      _id: String(from + n),
      hashtags: hashtagsOf(from + n),
    }));
}

async function countAll(pieces: AsyncIterable<readonly LinkHashtags[]>): Promise<number> {
  let links = 0;
  for await (const { linkIds } of numberHashtags(pieces, LINKS_MAX)) links += linkIds.length;
  return links;
}

describe('the hashtags of links are complete up to a bound, and refused above', () => {
  const twenty = Array.from({ length: 20 }, (_, n) => `h${n}`);
  test.each([
    ['500,000 links have hashtags', LINKS_MAX, () => ['a']],
    ['2,000,000 hashtags are on links', 100_000, () => twenty],
    ['50,000 different hashtags are on links', 50_000, (link: number) => [`h${link}`]],
  ] as const)('%s', async (what, most, hashtagsOf) => {
    expect(await countAll(piecesOf(most, hashtagsOf))).toBe(most);
    await expect(countAll(piecesOf(most + 1, hashtagsOf))).rejects.toMatchObject({
      code: 'invalid',
      message: `More than ${what}; send "link_id" or a "hashtag" of fewer links.`,
    });
  });
});
