import type { AccountIdentity } from '@waymark/auth';
import type { GrpcClient, linksV1 } from '@waymark/proto';
import { LRUCache } from 'lru-cache';

/** The caller on whose behalf links-svc is called. */
export interface Caller {
  identity: AccountIdentity;
  /** The signed form of `identity`. */
  token: string;
  requestId: string;
}

export interface HiddenLinks {
  /** Returns the links that must be excluded from every figure that the caller sees, as of now. */
  find(caller: Caller, signal: AbortSignal): Promise<readonly string[]>;
}

/** Enough to receive a few hundred thousand ids. */
const CALL_TIMEOUT_MS = 3_000;
/** Ids in all cached lists together. */
const REMEMBERED_IDS_MAX = 1_000_000;

interface Answer {
  revision: string;
  linkIds: string[];
}

/**
 * Creates a lookup that calls links-svc every time and never trusts its cache alone. It sends the revision of the
 * cached list, and links-svc says whether the list is still current, so most responses are small.
 */
export function createHiddenLinks(links: Pick<GrpcClient<typeof linksV1.LinksService>, 'getHiddenLinks'>): HiddenLinks {
  const remembered = new LRUCache<string, Answer>({
    maxSize: REMEMBERED_IDS_MAX,
    sizeCalculation: ({ linkIds }) => linkIds.length + 1,
  });
  return {
    async find({ identity, token, requestId }, signal) {
      const key = `${identity.scope} ${identity.accountId}`;
      const known = remembered.get(key);
      const parts = links.getHiddenLinks(
        { knownRevision: known?.revision ?? '' },
        { identity: token, requestId, timeoutMs: CALL_TIMEOUT_MS, signal },
      );
      const answer: Answer = { revision: '', linkIds: [] };
      for await (const { revision, unchanged, linkIds } of parts) {
        if (unchanged && known !== undefined) return known.linkIds;
        answer.revision = revision;
        for (const id of linkIds) answer.linkIds.push(id);
      }
      remembered.set(key, answer);
      return answer.linkIds;
    },
  };
}
