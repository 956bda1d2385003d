import { type Database, OPERATION_TIMEOUT_MS } from '../database/database.ts';
import type { FindMany } from './batched-lookup.ts';
import type { LinkChangeSource } from './changed-links.ts';
import type { StoredRedirect } from './link-cache.ts';

const OPTIONS = {
  projection: { slug_key: 1, account_id: 1, destination_url: 1, visibility: 1, password_hash: 1 },
  // Allows one round trip: by default the driver fetches results beyond the first 101 separately.
  batchSize: 1_000,
  maxTimeMS: OPERATION_TIMEOUT_MS,
};

/**
 * Returns a function that reads what redirects need of links, by slug key. It reads links of all accounts and of any
 * visibility, because visitors have no identity. It rejects with `unavailable` in an outage.
 */
export function findForRedirects(database: Database): FindMany<StoredRedirect> {
  return async (slugKeys) => {
    const links = await database.run(() =>
      database.links.find({ slug_key: { $in: [...slugKeys] } }, OPTIONS).toArray(),
    );
    return new Map(
      links.map((link) => [
        link.slug_key,
        {
          id: link._id,
          accountId: link.account_id,
          destinationUrl: link.destination_url,
          visibility: link.visibility,
          passwordHash: link.password_hash,
        },
      ]),
    );
  };
}

const CHANGE = { projection: { changed_at: 1 }, batchSize: 1_000, maxTimeMS: OPERATION_TIMEOUT_MS };

/**
 * Returns the source of changes and deletions of links, with the database's own times. It rejects with `unavailable` in
 * an outage.
 */
export function linkChanges(database: Database): LinkChangeSource {
  return {
    databaseTime: () => database.time(),
    changesSince: (moment) =>
      database.run(async () => {
        const since = { changed_at: { $gt: moment } };
        const changed = await Promise.all([
          database.links.find(since, CHANGE).toArray(),
          database.deletedLinks.find(since, CHANGE).toArray(),
        ]);
        return changed.flat().map(({ _id, changed_at }) => ({ linkId: _id, changedAt: changed_at! }));
      }),
  };
}
