import type { GrpcClient, linksV1 } from '@waymark/proto';
import type { LinkHashtags } from './click-query.ts';
import { type Caller, sightOf } from './hidden-links.ts';
import { partsInTime } from './parts-in-time.ts';
import { SharedReads } from './shared-reads.ts';
import type { ShownLink } from './shown-links.ts';

export interface HashtagsOfLinks {
  /**
   * Returns the links with hashtags that the caller may see, as of now; with a folded `hashtag`, only the links that
   * have it.
   * @throws {AppError} `invalid` if they are too many.
   */
  find(hashtag: string | undefined, caller: Caller, signal: AbortSignal): Promise<LinkHashtags>;
}

/** Creates a lookup that calls links-svc for every question. Questions that arrive during a call share the next one. */
export function createHashtagsOfLinks(
  links: Pick<GrpcClient<typeof linksV1.LinksService>, 'findLinkHashtags'>,
): HashtagsOfLinks {
  const reads = new SharedReads<LinkHashtags>();

  async function read(hashtag: string | undefined, { token, requestId }: Caller): Promise<LinkHashtags> {
    const request = hashtag === undefined ? {} : { hashtag };
    const linkIds: string[] = [];
    const numbers: string[] = [];
    const names: string[] = [];
    for await (const part of partsInTime((limits) =>
      links.findLinkHashtags(request, { identity: token, requestId, ...limits }),
    )) {
      // Each part becomes one text at once: a list of all numbers would take many times the memory.
      if (part.linkIds.length === 0) continue;
      linkIds.push(part.linkIds.join());
      numbers.push(numbersOf(part));
      if (part.hashtags.length > 0) names.push(part.hashtags.join());
    }
    return { linkIds: linkIds.join(), numbers: numbers.join(), names: names.join() };
  }

  return {
    find(hashtag, caller, signal) {
      return reads.get(`${sightOf(caller)} ${hashtag ?? ''}`, () => read(hashtag, caller), signal);
    },
  };
}

/** Returns the numbers of the hashtags of each link, separated by spaces, with commas between the links. */
function numbersOf({ hashtagCounts, hashtagNumbers }: linksV1.FindLinkHashtagsResponse): string {
  let at = 0;
  const ofLinks = hashtagCounts.map((count) => {
    const numbers = hashtagNumbers.slice(at, at + count);
    at += count;
    return numbers.join(' ');
  });
  return ofLinks.join();
}

/** Returns the hashtags of a single link. */
export function hashtagsOfLink({ clicksId, hashtags }: Pick<ShownLink, 'clicksId' | 'hashtags'>): LinkHashtags {
  const linkIds = hashtags.length === 0 ? '' : clicksId;
  return { linkIds, numbers: hashtags.map((_, n) => n + 1).join(' '), names: hashtags.join() };
}
