import type { AccountIdentity } from '@waymark/auth';
import { type HashtagCount, type HashtagList, LISTED_HASHTAGS_MAX, noticeOf } from '@waymark/contract';
import { FairQueue } from '@waymark/service-kit';
import { operationTimeMs } from '../database/operation-options.ts';
import { LinkScope } from '../links/link-scope.ts';
import type { HashtagsStore } from './hashtags.store.ts';

/** How many hashtags of archived links a notice names. */
const NAMED_MAX = 10;

/** The use case of hashtags. */
export class HashtagsService {
  readonly #hashtags: Pick<HashtagsStore, 'count'>;
  /** Counting the hashtags of a large account takes a second of the database, so no account has both turns. */
  readonly #queue = new FairQueue({ concurrency: 2, concurrencyOfUser: 1, maxWaiting: 1_000 });

  constructor(hashtags: Pick<HashtagsStore, 'count'>) {
    this.#hashtags = hashtags;
  }

  /**
   * Returns the hashtags of the links that the identity sees and that are not archived.
   * @throws {AppError} `unavailable` if it takes too long, or in an outage.
   */
  async list(identity: AccountIdentity): Promise<HashtagList> {
    const scope = new LinkScope(identity);
    const count = async () => ({
      listed: await this.#hashtags.count(scope, 'false'),
      archived: await this.#hashtags.count(scope, 'true'),
    });
    const { listed, archived } = await this.#queue.run([identity.accountId], count, operationTimeMs());
    const hashtags = listed.slice(0, LISTED_HASHTAGS_MAX);
    return { hashtags, ...noticeOf([cutNotice(listed), archivedNotice(listed, archived)]) };
  }
}

function cutNotice(listed: readonly HashtagCount[]): string | undefined {
  return listed.length > LISTED_HASHTAGS_MAX
    ? `Only the ${LISTED_HASHTAGS_MAX} hashtags with most links are listed.`
    : undefined;
}

/** Returns the sentence about hashtags of archived links that are not listed. */
function archivedNotice(listed: readonly HashtagCount[], archived: readonly HashtagCount[]): string | undefined {
  const names = new Set(listed.map(({ hashtag }) => hashtag));
  const missing = archived.filter(({ hashtag }) => !names.has(hashtag));
  if (archived.length === 0) return undefined;
  const few = missing.slice(0, NAMED_MAX).map(({ hashtag, links }) => `#${hashtag} (${links})`);
  const more = missing.length > NAMED_MAX ? ` and ${missing.length - NAMED_MAX} more` : '';
  const only = missing.length === 0 ? '' : ` Only archived links have ${few.join(', ')}${more}.`;
  return `Archived links are not counted, and some have hashtags; send "archived" any to list them.${only}`;
}
