import { AppError, UNAVAILABLE_MESSAGE } from '@waymark/contract';
import type { Database } from '../database/database.ts';
import { duplicatePositions, isDuplicateKey } from '../database/database-errors.ts';
import { accountIdOfLinkId, isLinkId } from '../database/ids.ts';
import { BOUNDED, BOUNDED_FIND } from '../database/operation-options.ts';
import { readInPieces } from '../database/read-in-pieces.ts';
import { isOldLink } from '../lists/link-counts.ts';
import { checkInTime, type SlugsStore } from '../slugs/slugs.store.ts';
import type { DerivedFields, LinkDocument, ShownLink } from './link.ts';
import type { LinkFields } from './link-fields.ts';
import type { LinkScope } from './link-scope.ts';

/** A stored link without the field that only searches read. */
export type StoredLink = Omit<LinkDocument, 'search_text'>;

/** The click totals of one link. */
export interface LinkTotals {
  linkId: string;
  clicks: number;
  lastClickedAt: Date;
}

const STORED_LINK = { projection: { search_text: 0 }, ...BOUNDED_FIND };
/** The options of a query for links as clients see them. Other fields are not read, because a list has many links. */
export const SHOWN_LINK = {
  projection: {
    search_text: 0,
    account_id: 0,
    password_hash: 0,
    slug_key: 0,
    title_key: 0,
    hidden: 0,
    listed: 0,
    state: 0,
    host_key: 0,
    revision: 0,
    changed_at: 0,
    imported_url: 0,
  } satisfies Record<Exclude<keyof LinkDocument, keyof ShownLink>, 0>,
  ...BOUNDED_FIND,
};
/** For writes that may begin at any time. */
export const UNLIMITED = Number.POSITIVE_INFINITY;
export const ID_ONLY = { projection: { _id: 1 } } as const;

export type IdOnly = Pick<LinkDocument, '_id'>;

/**
 * Reads and writes links for an identity; {@link LinkLists} lists them. Every method throws `unavailable` in an outage.
 * Writes do too if they cannot begin until `untilMs`, of `performance.now()`.
 */
export class LinksStore {
  readonly #database: Database;
  readonly #slugs: SlugsStore;

  constructor(database: Database, slugs: SlugsStore) {
    this.#database = database;
    this.#slugs = slugs;
  }

  /** Adds a link. Returns false if its id or its slug is taken. */
  async insert(link: LinkDocument, untilMs = UNLIMITED): Promise<boolean> {
    const [document] = await this.#dated([link]);
    const claim = await this.#slugs.claim(link);
    if (claim === null) return false;
    try {
      await this.#database.run(() => {
        checkInTime(claim);
        checkNotLate(untilMs);
        return this.#database.links.insertOne(document!, BOUNDED);
      });
      return true;
    } catch (error) {
      if (!isDuplicateKey(error)) throw error;
      await this.#slugs.releaseRefused(claim);
      return false;
    }
  }

  /** Adds links, whose slugs differ, in two writes. Returns the positions of those whose id or slug is taken. */
  async insertMany(links: readonly LinkDocument[], untilMs = UNLIMITED): Promise<ReadonlySet<number>> {
    const documents = await this.#dated(links);
    const claims = await this.#slugs.claimMany(links);
    const taken = new Set(claims.flatMap((claim, position) => (claim === null ? [position] : [])));
    const claimed = documents.flatMap((document, position) => {
      const claim = claims[position];
      return claim == null ? [] : [{ document, position, claim }];
    });
    if (claimed.length === 0) return taken;
    try {
      await this.#database.run(() => {
        checkInTime(claimed[0]!.claim);
        checkNotLate(untilMs);
        return this.#database.links.insertMany(
          claimed.map(({ document }) => document),
          { ordered: false, ...BOUNDED },
        );
      });
    } catch (error) {
      for (const at of duplicatePositions(error)) {
        const { position, claim } = claimed[at]!;
        taken.add(position);
        await this.#slugs.releaseRefused(claim);
      }
    }
    return taken;
  }

  /**
   * Returns links that are about to be added. Searches read again what was created or changed a moment ago, so a link
   * with an earlier creation time counts as changed.
   */
  async #dated(links: readonly LinkDocument[]): Promise<LinkDocument[]> {
    const isOld = ({ created_at }: LinkDocument) => isOldLink(created_at.getTime());
    if (!links.some(isOld)) return [...links];
    const changed_at = await this.#database.time();
    return links.map((link) => (isOld(link) ? { ...link, changed_at } : link));
  }

  /** Returns the link with this id, or null if there is none in the scope. */
  async find(scope: LinkScope, id: string): Promise<StoredLink | null> {
    if (!isLinkId(id)) return null;
    return this.#database.run(() => this.#database.links.findOne<StoredLink>(scope.byLinkId(id), STORED_LINK));
  }

  /** Returns the links with these ids that are in the scope, in no particular order. */
  async findMany(scope: LinkScope, ids: readonly string[]): Promise<ShownLink[]> {
    const valid = ids.filter(isLinkId);
    if (valid.length === 0) return [];
    return this.#database.run(() => this.#database.links.find<ShownLink>(scope.byLinkIds(valid), SHOWN_LINK).toArray());
  }

  /** Returns the links in the scope that have one of these slug keys, in no particular order. */
  async findBySlugKeys(scope: LinkScope, slugKeys: readonly string[]): Promise<StoredLink[]> {
    if (slugKeys.length === 0) return [];
    const filter = scope.bySlugKeys(slugKeys);
    return this.#database.run(() => this.#database.links.find<StoredLink>(filter, STORED_LINK).toArray());
  }

  /**
   * Writes fields, and the fields derived from them, to the revision of the link that they are based on. Returns false
   * if the link is not in the scope or has another revision, and `taken` if another link has the slug.
   */
  async update(
    scope: LinkScope,
    link: Pick<LinkDocument, '_id' | 'revision' | 'slug_key'>,
    fields: Partial<LinkFields> & DerivedFields & { updated_at: Date },
    untilMs = UNLIMITED,
  ): Promise<boolean | 'taken'> {
    const write = async () => {
      checkNotLate(untilMs);
      return this.#write(scope, link, fields);
    };
    if (fields.slug_key === link.slug_key) return this.#database.run(write);
    const { _id } = link;
    const [claim, former] = await Promise.all([
      this.#slugs.claim({ _id, account_id: scope.accountId, slug_key: fields.slug_key }),
      this.#slugs.findClaims([link]),
    ]);
    if (claim === null) return 'taken';
    let written: boolean | 'taken';
    try {
      written = await this.#database.run(() => {
        checkInTime(claim);
        return write();
      });
    } catch (error) {
      if (!isDuplicateKey(error)) throw error;
      written = 'taken';
    }
    if (written === true) await this.#slugs.releaseAfterWrite(former);
    else await this.#slugs.releaseRefused(claim);
    return written;
  }

  async #write(
    scope: LinkScope,
    { _id, revision }: Pick<LinkDocument, '_id' | 'revision'>,
    fields: Partial<LinkDocument>,
  ): Promise<boolean> {
    const { matchedCount } = await this.#database.links.updateOne(
      { ...scope.byLinkId(_id), revision },
      { $set: fields, $inc: { revision: 1 }, $currentDate: { changed_at: true } },
      BOUNDED,
    );
    return matchedCount > 0;
  }

  /** Removes the link, releases its slug and returns it, or null if there is none in the scope with this slug. */
  async delete(
    scope: LinkScope,
    link: Pick<LinkDocument, '_id' | 'slug_key'>,
    untilMs = UNLIMITED,
  ): Promise<StoredLink | null> {
    const { _id, slug_key } = link;
    const claims = await this.#slugs.findClaims([link]);
    const filter = { ...scope.byLinkId(_id), slug_key };
    const deleted = await this.#database.run(async () => {
      checkNotLate(untilMs);
      return this.#database.links.findOneAndDelete(filter, STORED_LINK);
    });
    if (deleted !== null) await this.#slugs.releaseAfterWrite(claims);
    return deleted;
  }

  /** Yields the ids of the account's links that a Public Links Only key must not see, in pieces. */
  async *hiddenIds(scope: LinkScope): AsyncGenerator<string[]> {
    const hidden = this.#database.links.find<IdOnly>(scope.byHidden(), ID_ONLY);
    for await (const piece of readInPieces(this.#database, hidden)) yield piece.map(({ _id }) => _id);
  }

  /** Yields the ids of the links in the scope that have a hashtag, which is folded, in pieces. */
  async *idsWithHashtag(scope: LinkScope, hashtag: string): AsyncGenerator<string[]> {
    const tagged = this.#database.links.find<IdOnly>(
      { ...scope.byStates(scope.states(undefined, 'any')), hashtags: hashtag },
      ID_ONLY,
    );
    for await (const piece of readInPieces(this.#database, tagged)) yield piece.map(({ _id }) => _id);
  }

  /** Returns up to `limit` links in the scope. */
  async some(scope: LinkScope, limit: number): Promise<Pick<LinkDocument, '_id' | 'slug_key'>[]> {
    return this.#database.run(() =>
      this.#database.links
        .find<Pick<LinkDocument, '_id' | 'slug_key'>>(scope.byId(), {
          projection: { slug_key: 1 },
          ...BOUNDED_FIND,
          limit,
        })
        .toArray(),
    );
  }

  /** Removes those of these links that are in the scope, and releases their slugs. */
  async deleteMany(scope: LinkScope, links: readonly Pick<LinkDocument, '_id' | 'slug_key'>[]): Promise<void> {
    const ids = links.map(({ _id }) => _id);
    const claims = await this.#slugs.findClaims(links);
    await this.#database.run(() => this.#database.links.deleteMany(scope.byLinkIds(ids), BOUNDED));
    await this.#slugs.releaseAfterWrite(claims);
  }

  /** Writes absolute click totals, and never lowers one. Ignores links that are gone. */
  async applyTotals(totals: readonly LinkTotals[]): Promise<void> {
    if (totals.length === 0) return;
    await this.#database.run(() =>
      this.#database.links.bulkWrite(
        totals.map(({ linkId, clicks, lastClickedAt }) => ({
          updateOne: {
            filter: { _id: linkId, account_id: accountIdOfLinkId(linkId) },
            update: { $max: { clicks, last_clicked_at: lastClickedAt } },
          },
        })),
        { ordered: false, ...BOUNDED },
      ),
    );
  }
}

/** @throws {AppError} `unavailable` after this time of `performance.now()`. */
function checkNotLate(untilMs: number): void {
  if (performance.now() > untilMs)
    throw new AppError('unavailable', UNAVAILABLE_MESSAGE, {
      cause: new Error('a change was announced too long ago to write it'),
    });
}
