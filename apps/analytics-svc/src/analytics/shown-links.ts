import { AppError, INTERNAL_MESSAGE } from '@waymark/contract';
import type { GrpcClient, linksV1 } from '@waymark/proto';
import { callTimeMs, REQUEST_MAX_MS } from '@waymark/service-kit';
import type { Caller } from './hidden-links.ts';

/** The fields of a link that analytics show and count by. */
export type ShownLink = Pick<linksV1.Link, 'id' | 'slug' | 'shortUrl' | 'destinationUrl' | 'title' | 'hashtags'>;

export interface ShownLinks {
  /**
   * Returns the link that the text names, by its id, slug or short URL.
   * @throws {AppError} `not_found` if the caller does not see it.
   */
  get(name: string, caller: Caller, signal: AbortSignal): Promise<ShownLink>;
  /** Returns the links with these ids that the caller may see, by id. */
  findByIds(ids: readonly string[], caller: Caller, signal: AbortSignal): Promise<Map<string, ShownLink>>;
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
      const { link } = await links.getLink({ id: name }, options(caller, signal));
      if (link === undefined)
        throw new AppError('internal', INTERNAL_MESSAGE, { cause: new Error('the response lacks the link') });
      return link;
    },
    async findByIds(ids, caller, signal) {
      if (ids.length === 0) return new Map();
      const answer = await links.batchGetLinks({ ids: [...ids] }, options(caller, signal));
      return new Map(answer.links.map((link) => [link.id, link]));
    },
  };
}
