import type { GrpcClient, linksV1 } from '@waymark/proto';
import type { Caller } from './hidden-links.ts';

export interface LinksWithHashtag {
  /** Returns the ids of the links with a folded hashtag that the caller may see, as of now. */
  find(hashtag: string, caller: Caller, signal: AbortSignal): Promise<readonly string[]>;
}

/** Enough to receive a few hundred thousand ids. */
const CALL_TIMEOUT_MS = 3_000;

export function createLinksWithHashtag(
  links: Pick<GrpcClient<typeof linksV1.LinksService>, 'findLinkIds'>,
): LinksWithHashtag {
  return {
    async find(hashtag, { token, requestId }, signal) {
      const found: string[] = [];
      const parts = links.findLinkIds({ hashtag }, { identity: token, requestId, timeoutMs: CALL_TIMEOUT_MS, signal });
      for await (const { linkIds } of parts) for (const id of linkIds) found.push(id);
      return found;
    },
  };
}
