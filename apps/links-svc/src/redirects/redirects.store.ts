import type { Database } from '../database/database.ts';
import { BOUNDED_FIND } from '../database/operation-options.ts';
import type { LinkDocument } from '../links/link.ts';
import type { SlugDocument } from '../slugs/slug.ts';
import type { FindMany } from './batched-lookup.ts';
import type { LinkChangeSource } from './changed-links.ts';
import type { StoredRedirect } from './link-cache.ts';

const OPTIONS = {
  projection: {
    slug_key: 1,
    account_id: 1,
    destination_url: 1,
    visibility: 1,
    password_hash: 1,
    expires_at: 1,
    expired_url: 1,
  },
  ...BOUNDED_FIND,
};

const CLAIM = { projection: { account_id: 1, link_id: 1 }, ...BOUNDED_FIND };

/**
 * Returns a function that reads what redirects need of links, by slug key: first whose slugs they are, then the links.
 * It reads links of all accounts and of any visibility, because visitors have no identity. It rejects with `unavailable`
 * in an outage.
 */
export function findForRedirects(database: Database): FindMany<StoredRedirect> {
  return async (slugKeys) => {
    const claims = await database.run(() => database.slugs.find({ _id: { $in: [...slugKeys] } }, CLAIM).toArray());
    const found = new Map<string, StoredRedirect>();
    if (claims.length === 0) return found;
    const accountIds = [...new Set(claims.map(({ account_id }) => account_id))];
    const linkIds = claims.map(({ link_id }) => link_id);
    const links = await database.run(() =>
      database.links.find({ account_id: { $in: accountIds }, _id: { $in: linkIds } }, OPTIONS).toArray(),
    );
    const byId = new Map(links.map((link) => [link._id, link]));
    const linkOf = ({
      _id: slug_key,
      account_id,
      link_id,
    }: SlugDocument): Promise<LinkDocument | null> | LinkDocument => {
      const link = byId.get(link_id);
      if (link?.slug_key === slug_key && link.account_id === account_id) return link;
      // Another link of the account may have the slug, if the claim was used again after a crash (ADR 41).
      return database.run(() => database.links.findOne({ account_id, slug_key }, OPTIONS));
    };
    for (const link of await Promise.all(claims.map(linkOf)))
      if (link !== null) found.set(link.slug_key, toStoredRedirect(link));
    return found;
  };
}

function toStoredRedirect(link: LinkDocument): StoredRedirect {
  return {
    id: link._id,
    accountId: link.account_id,
    destinationUrl: link.destination_url,
    visibility: link.visibility,
    passwordHash: link.password_hash,
    // Links that were stored before these fields existed lack them.
    expiresAt: link.expires_at ?? null,
    expiredUrl: link.expired_url ?? null,
  };
}

const CHANGE = { projection: { changed_at: 1 }, ...BOUNDED_FIND };

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
