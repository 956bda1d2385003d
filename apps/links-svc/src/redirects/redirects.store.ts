import type { Database } from '../database/database.ts';
import type { RedirectDocument } from '../database/documents/redirect.ts';
import { BOUNDED_FIND } from '../database/operation-options.ts';
import type { FindMany } from './batched-lookup.ts';

/**
 * Returns a function that reads redirects by id. It reads those of all accounts and of any visibility, because visitors
 * have no identity. It rejects with `unavailable` in an outage.
 */
export function findRedirects(database: Database): FindMany<RedirectDocument> {
  return async (ids) => {
    // On shards, a snapshot has each change that the follower of the log has seen.
    const found = await database.inSnapshot((session) =>
      database.run(() =>
        database.collections.redirects.find({ _id: { $in: [...ids] } }, { ...BOUNDED_FIND, session }).toArray(),
      ),
    );
    return new Map(found.map((redirect) => [redirect._id, redirect]));
  };
}
