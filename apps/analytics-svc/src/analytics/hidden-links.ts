import type { AccountIdentity } from '@waymark/auth';
import type { GrpcClient, linksV1 } from '@waymark/proto';
import { LRUCache } from 'lru-cache';
import { partsInTime } from './parts-in-time.ts';
import { SharedReads } from './shared-reads.ts';

/** The caller on whose behalf links-svc is called. */
export interface Caller {
  identity: AccountIdentity;
  /** The signed form of `identity`. */
  token: string;
  requestId: string;
}

/** Returns what identifies the links that exist for a caller. */
export function sightOf({ identity: { scope, accountId, key } }: Pick<Caller, 'identity'>): string {
  return `${scope} ${accountId} ${key?.hashtag ?? ''}`;
}

export interface HiddenLinks {
  /**
   * Returns the links that must be excluded from every figure that the caller sees, as of now.
   * @throws {AppError} `invalid` if they are too many.
   */
  find(caller: Caller, signal: AbortSignal): Promise<readonly string[]>;
}

/** Ids in all cached lists together. */
const REMEMBERED_IDS_MAX = 1_000_000;

interface Answer {
  revision: string;
  linkIds: string[];
}

/**
 * Creates a lookup that calls links-svc for every question and never trusts its cache alone. It sends the revision of the
 * cached list, and links-svc says whether the list is still current, so most responses are small. Questions that
 * arrive during a call share the next one. A long list is received and cached even if its caller has gone.
 */
export function createHiddenLinks(links: Pick<GrpcClient<typeof linksV1.LinksService>, 'getHiddenLinks'>): HiddenLinks {
  const remembered = new LRUCache<string, Answer>({
    maxSize: REMEMBERED_IDS_MAX,
    sizeCalculation: ({ linkIds }) => linkIds.length + 1,
  });
  const reads = new SharedReads<readonly string[]>();

  async function read(key: string, { token, requestId }: Caller): Promise<readonly string[]> {
    const known = remembered.get(key);
    const request = { knownRevision: known?.revision ?? '' };
    const answer: Answer = { revision: '', linkIds: [] };
    for await (const { revision, unchanged, linkIds } of partsInTime((limits) =>
      links.getHiddenLinks(request, { identity: token, requestId, ...limits }),
    )) {
      if (unchanged && known !== undefined) return known.linkIds;
      answer.revision = revision;
      for (const id of linkIds) answer.linkIds.push(id);
    }
    remembered.set(key, answer);
    return answer.linkIds;
  }

  return {
    find(caller, signal) {
      const key = sightOf(caller);
      return reads.get(key, () => read(key, caller), signal);
    },
  };
}
