import type { AccountIdentity } from '@waymark/auth';
import type { GrpcClient, linksV1 } from '@waymark/proto';
import { LRUCache } from 'lru-cache';

/** On whose behalf something is asked of links-svc. */
export interface Asker {
  identity: AccountIdentity;
  /** The signed form of `identity`. */
  token: string;
  requestId: string;
}

export interface HiddenLinks {
  /** The links that must be in no figure that the asker sees, as of this moment. */
  find(asker: Asker, signal: AbortSignal): Promise<readonly string[]>;
}

/** Enough for some hundred thousand links. */
const CALL_TIMEOUT_MS = 3_000;
/** Of all lists together that are kept to be confirmed. */
const REMEMBERED_IDS_MAX = 1_000_000;

interface Answer {
  revision: string;
  linkIds: string[];
}

/**
 * Asks links-svc each time. A list that came with a revision is kept, and links-svc says whether it still holds, so
 * that most answers are small; nothing is believed without asking.
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
      if (answer.revision !== '') remembered.set(key, answer);
      return answer.linkIds;
    },
  };
}
