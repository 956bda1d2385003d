import type { GrpcClient, linksV1 } from '@waymark/proto';
import type { Caller } from './hidden-links.ts';

/** The fields of a link that analytics show and count by. */
export type ShownLink = Pick<linksV1.Link, 'id' | 'slug' | 'shortUrl' | 'destinationUrl' | 'title' | 'hashtags'>;

export interface ShownLinks {
  /** Returns the links with these ids that the caller may see, by id. */
  findByIds(ids: readonly string[], caller: Caller, signal: AbortSignal): Promise<Map<string, ShownLink>>;
}

const CALL_TIMEOUT_MS = 2_000;

export function createShownLinks(links: Pick<GrpcClient<typeof linksV1.LinksService>, 'batchGetLinks'>): ShownLinks {
  return {
    async findByIds(ids, { token, requestId }, signal) {
      if (ids.length === 0) return new Map();
      const answer = await links.batchGetLinks(
        { ids: [...ids] },
        { identity: token, requestId, timeoutMs: CALL_TIMEOUT_MS, signal },
      );
      return new Map(answer.links.map((link) => [link.id, link]));
    },
  };
}
