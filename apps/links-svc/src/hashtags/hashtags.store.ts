import { type HashtagCount, LISTED_HASHTAGS_MAX } from '@waymark/contract';
import type { Database } from '../database/database.ts';
import { BOUNDED } from '../database/operation-options.ts';
import type { LinkScope } from '../links/link-scope.ts';

/** Reads the hashtags of links. */
export class HashtagsStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /**
   * Returns the hashtags of the links in the scope that are archived or not, most links first, then by name, and one more
   * than a list has at most. Reads each of these links.
   * @throws {AppError} `unavailable` if that takes longer, or in an outage.
   */
  count(scope: LinkScope, archived: 'true' | 'false'): Promise<HashtagCount[]> {
    const pipeline = [
      { $match: scope.byStates(scope.states(undefined, archived)) },
      { $unwind: '$hashtags' },
      { $group: { _id: '$hashtags', links: { $sum: 1 }, clicks: { $sum: '$clicks' } } },
      { $sort: { links: -1, _id: 1 } },
      { $limit: LISTED_HASHTAGS_MAX + 1 },
    ];
    return this.#database.runInSnapshot(async (session) => {
      const groups = this.#database.collections.links.aggregate<Group>(pipeline, {
        ...BOUNDED,
        batchSize: LISTED_HASHTAGS_MAX + 1,
        session,
      });
      return (await groups.toArray()).map(({ _id, links, clicks }) => ({ hashtag: _id, links, clicks }));
    });
  }
}

interface Group {
  _id: string;
  links: number;
  clicks: number;
}
