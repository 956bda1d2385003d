import type { ClientSession } from 'mongodb';
import type { Database } from '../database/database.ts';
import type { LinkDocument } from '../database/documents/link.ts';
import { accountIdOfLinkId, isLinkId } from '../database/ids.ts';
import { BOUNDED, BOUNDED_FIND } from '../database/operation-options.ts';
import { readIdsInPieces, readInPieces } from '../database/read-in-pieces.ts';
import { clicksIdOf, linkIdOfClicks, type NamedClicks } from './clicks-id.ts';
import type { ShownLink } from './link.ts';
import type { LinkRef } from './link-ref.ts';
import type { LinkScope } from './link-scope.ts';

/** The click totals of one link. */
export interface LinkTotals {
  /** The name of its clicks: see `clicksIdOf`. */
  linkId: string;
  clicks: number;
  lastClickedAt: Date;
}

/** The options of a query for links as clients see them. Other fields are not read, because a list has many links. */
export const SHOWN_LINK = {
  projection: {
    search_text: 0,
    account_id: 0,
    password_hash: 0,
    host_id: 0,
    slug_key: 0,
    title_key: 0,
    hidden: 0,
    state: 0,
    host_key: 0,
    limit_id: 0,
    imported_row: 0,
    broken: 0,
    reported_broken: 0,
  } satisfies Record<Exclude<keyof LinkDocument, keyof ShownLink>, 0>,
};
export const ID_ONLY = { projection: { _id: 1 } } as const;

const CLICKS_ID = { projection: { clicks_id: 1 } } as const;
const HASHTAGS = { projection: { hashtags: 1, clicks_id: 1 } } as const;
/** In an index by state, a link that is archived while it is read could be passed over. */
const IN_ANY_STATE = { hint: 'hashtags' } as const;
/** Small, because decoding the hashtags of a piece delays redirects. */
const HASHTAGS_PIECE_SIZE = 1_000;

/** The hashtags of a link. */
export type LinkHashtags = NamedClicks & Pick<LinkDocument, 'hashtags'>;
export type IdOnly = Pick<LinkDocument, '_id'>;

/**
 * Reads links for an identity; {@link LinkLists} lists them, and changes write them. Every method throws `unavailable` in
 * an outage.
 */
export class LinksStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Returns the link that is named, or null if there is none in the scope. */
  async find(scope: LinkScope, ref: LinkRef): Promise<ShownLink | null> {
    return this.#database.run(() =>
      this.#database.collections.links.findOne<ShownLink>(scope.byRef(ref), { ...SHOWN_LINK, ...BOUNDED }),
    );
  }

  /** Returns the links with these ids that are in the scope, in no particular order. */
  async findMany(scope: LinkScope, ids: readonly string[]): Promise<ShownLink[]> {
    const valid = ids.filter(isLinkId);
    if (valid.length === 0) return [];
    return this.#database.run(() =>
      this.#database.collections.links
        .find<ShownLink>(scope.byLinkIds(valid), { ...SHOWN_LINK, ...BOUNDED_FIND })
        .toArray(),
    );
  }

  /**
   * Yields the names of the clicks of the account's links that a Public Links Only key must not see
   * ({@link readIdsInPieces}).
   */
  async *hiddenClicksIds(scope: LinkScope): AsyncGenerator<string[]> {
    // Without snapshots, another index could pass over a link that changes from one hidden visibility to another.
    const pieces = readIdsInPieces(this.#database, (after, session) =>
      this.#database.collections.links.find<NamedClicks>(
        { ...scope.byHidden(), _id: { $gt: after } },
        { ...CLICKS_ID, hint: 'hidden', session },
      ),
    );
    for await (const piece of pieces) yield piece.map(clicksIdOf);
  }

  /** Yields the names of the clicks of the links in the scope that have a hashtag, which is folded, in pieces. */
  async *clicksIdsWithHashtag(scope: LinkScope, hashtag: string): AsyncGenerator<string[]> {
    const options = { ...CLICKS_ID, ...IN_ANY_STATE };
    const find = (session: ClientSession) =>
      this.#database.collections.links.find<NamedClicks>(scope.byHashtag(hashtag), { ...options, session });
    for await (const piece of readInPieces(this.#database, find)) yield piece.map(clicksIdOf);
  }

  /** Yields the links in the scope that have hashtags, or only those with one, which is folded, in pieces. */
  async *hashtagsOfLinks(scope: LinkScope, hashtag?: string): AsyncGenerator<LinkHashtags[]> {
    const [filter, hint] =
      hashtag === undefined
        ? [{ ...scope.byId(), hashtags: { $gt: '' } }, { hint: '_id_' }]
        : [scope.byHashtag(hashtag), IN_ANY_STATE];
    const find = (session: ClientSession) =>
      this.#database.collections.links.find<LinkHashtags>(filter, { ...HASHTAGS, ...hint, session });
    yield* readInPieces(this.#database, find, { size: HASHTAGS_PIECE_SIZE });
  }

  /** Counts the links in the scope that have a hashtag, which is folded, up to `limit`. */
  async countWithHashtag(scope: LinkScope, hashtag: string, limit: number): Promise<number> {
    return this.#database.run(() =>
      this.#database.collections.links.countDocuments(scope.byHashtag(hashtag), { ...BOUNDED, ...IN_ANY_STATE, limit }),
    );
  }

  /** Returns the ids of up to `limit` links in the scope. */
  async someIds(scope: LinkScope, limit: number): Promise<string[]> {
    const found = await this.#database.run(() =>
      this.#database.collections.links.find<IdOnly>(scope.byId(), { ...ID_ONLY, ...BOUNDED_FIND, limit }).toArray(),
    );
    return found.map(({ _id }) => _id);
  }

  /** Returns the ids of the links of an account that rows with these hashes made, by the hash. */
  async idsOfImportedRows(account_id: string, hashes: readonly string[]): Promise<Map<string, string[]>> {
    const found = await this.#database.run(() =>
      this.#database.collections.links
        .find<Pick<LinkDocument, '_id' | 'imported_row'>>(
          { account_id, imported_row: { $in: hashes } },
          { ...BOUNDED_FIND, projection: { imported_row: 1 } },
        )
        .toArray(),
    );
    const ids = new Map<string, string[]>();
    for (const { _id, imported_row } of found) ids.set(imported_row!, [...(ids.get(imported_row!) ?? []), _id]);
    return ids;
  }

  /** Returns those of these names of clicks that links have now, of any account. */
  async existingClicksIds(clicksIds: readonly string[]): Promise<string[]> {
    if (clicksIds.length === 0) return [];
    const accountIds = [...new Set(clicksIds.map(accountIdOfLinkId))];
    const filter = { _id: { $in: clicksIds.map(linkIdOfClicks) }, account_id: { $in: accountIds } };
    const found = await this.#database.run(() =>
      this.#database.collections.links.find<NamedClicks>(filter, { ...CLICKS_ID, ...BOUNDED_FIND }).toArray(),
    );
    const wanted = new Set(clicksIds);
    return found.map(clicksIdOf).filter((clicksId) => wanted.has(clicksId));
  }

  /** Writes absolute click totals, and never lowers one. Ignores links and clicks that are gone. */
  async applyTotals(totals: readonly LinkTotals[]): Promise<void> {
    if (totals.length === 0) return;
    await this.#database.run(() =>
      this.#database.collections.links.bulkWrite(
        totals.map(({ linkId, clicks, lastClickedAt }) => {
          const _id = linkIdOfClicks(linkId);
          const clicks_id = linkId === _id ? { $exists: false } : linkId;
          return {
            updateOne: {
              filter: { _id, account_id: accountIdOfLinkId(_id), clicks_id },
              update: { $max: { clicks, last_clicked_at: lastClickedAt } },
            },
          };
        }),
        { ordered: false, ...BOUNDED },
      ),
    );
  }
}
