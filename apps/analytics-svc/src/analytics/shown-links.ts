import { AppError, INTERNAL_MESSAGE } from '@waymark/contract';
import type { GrpcClient, linksV1 } from '@waymark/proto';
import { callTimeMs, REQUEST_MAX_MS } from '@waymark/service-kit';
import type { Caller } from './hidden-links.ts';

/** The fields of a link that analytics show and count by. */
export interface ShownLink
  extends Pick<linksV1.Link, 'id' | 'slug' | 'shortUrl' | 'destinationUrl' | 'title' | 'hashtags'> {
  /** The name of its clicks, which is its `link_id` in the tables. Another one once clicks were forgotten (ADR 69). */
  clicksId: string;
}

export interface ShownLinks {
  /**
   * Returns the link that the text names, by its id, slug or short URL.
   * @throws {AppError} `not_found` if the caller does not see it.
   */
  get(name: string, caller: Caller, signal: AbortSignal): Promise<ShownLink>;
  /** Returns the links whose clicks have these names and that the caller may see, by that name. */
  findByClicksIds(clicksIds: readonly string[], caller: Caller, signal: AbortSignal): Promise<Map<string, ShownLink>>;
}

export function createShownLinks(
  links: Pick<GrpcClient<typeof linksV1.LinksService>, 'getLink' | 'batchGetLinks'>,
): ShownLinks {
  const options = ({ token, requestId }: Caller, signal: AbortSignal) => ({
    identity: token,
    requestId,
    timeoutMs: callTimeMs(REQUEST_MAX_MS),
    signal,
  });
  return {
    async get(name, caller, signal) {
      const { link, clicksId } = await links.getLink({ id: name }, options(caller, signal));
      if (link === undefined)
        throw new AppError('internal', INTERNAL_MESSAGE, { cause: new Error('the response lacks the link') });
      return { ...link, clicksId };
    },
    async findByClicksIds(ids, caller, signal) {
      if (ids.length === 0) return new Map();
      const { links: found, clicksIds } = await links.batchGetLinks({ ids: [...ids] }, options(caller, signal));
      return new Map(found.map((link, n) => [clicksIds[n]!, { ...link, clicksId: clicksIds[n]! }]));
    },
  };
}
