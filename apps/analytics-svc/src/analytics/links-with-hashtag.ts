import type { GrpcClient, linksV1 } from '@waymark/proto';
import { type Caller, sightOf } from './hidden-links.ts';
import { partsInTime } from './parts-in-time.ts';
import { SharedReads } from './shared-reads.ts';

export interface LinksWithHashtag {
  /**
   * Returns the ids of the links with a folded hashtag that the caller may see, as of now.
   * @throws {AppError} `invalid` if they are too many.
   */
  find(hashtag: string, caller: Caller, signal: AbortSignal): Promise<readonly string[]>;
}

/** Creates a lookup that calls links-svc for every question. Questions that arrive during a call share the next one. */
export function createLinksWithHashtag(
  links: Pick<GrpcClient<typeof linksV1.LinksService>, 'findLinkIds'>,
): LinksWithHashtag {
  const reads = new SharedReads<readonly string[]>();

  async function read(hashtag: string, { token, requestId }: Caller): Promise<readonly string[]> {
    const found: string[] = [];
    const parts = partsInTime((limits) => links.findLinkIds({ hashtag }, { identity: token, requestId, ...limits }));
    for await (const { linkIds } of parts) for (const id of linkIds) found.push(id);
    return found;
  }

  return {
    find(hashtag, caller, signal) {
      return reads.get(`${sightOf(caller)} ${hashtag}`, () => read(hashtag, caller), signal);
    },
  };
}
