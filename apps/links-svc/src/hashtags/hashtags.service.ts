import type { AccountIdentity } from '@waymark/auth';
import type { HashtagList } from '@waymark/contract';
import { FairQueue } from '@waymark/service-kit';
import { operationTimeMs } from '../database/operation-options.ts';
import { LinkScope } from '../links/link-scope.ts';
import type { HashtagsStore } from './hashtags.store.ts';

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
    const count = () => this.#hashtags.count(new LinkScope(identity));
    return { hashtags: await this.#queue.run([identity.accountId], count, operationTimeMs()) };
  }
}
