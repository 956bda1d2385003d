import { PUBLIC_VISIBILITIES } from '@waymark/contract';
import type { Database } from '../database/database.ts';
import type { LinkDocument } from '../database/documents/link.ts';
import type { RedirectDocument } from '../database/documents/redirect.ts';
import { BOUNDED, BOUNDED_FIND } from '../database/operation-options.ts';
import type { FindMany } from './batched-lookup.ts';
import type { RedirectLink } from './link-cache.ts';

/** The texts of a link that visitors may see. */
export type PublicTexts = Pick<LinkDocument, 'title' | 'social_title' | 'social_description' | 'social_image_url'>;

const TEXTS = { _id: 0, title: 1, social_title: 1, social_description: 1, social_image_url: 1 } as const;

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

/**
 * Returns a function that reads the texts of a public or unlisted link, or null if it is none any more. A redirect needs
 * none of them, so the cache does not hold them.
 */
export function findPublicTexts(database: Database) {
  return ({ id, accountId }: Pick<RedirectLink, 'id' | 'accountId'>): Promise<PublicTexts | null> =>
    database.run(() =>
      database.collections.links.findOne<PublicTexts>(
        { _id: id, account_id: accountId, visibility: { $in: [...PUBLIC_VISIBILITIES] } },
        { projection: TEXTS, ...BOUNDED },
      ),
    );
}
