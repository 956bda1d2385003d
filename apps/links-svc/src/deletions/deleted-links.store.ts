import type { Database } from '../database/database.ts';
import { isDuplicateKey } from '../database/database-errors.ts';
import { accountIdOfLinkId } from '../database/ids.ts';
import { BOUNDED } from '../database/operation-options.ts';
import { readInPieces } from '../database/read-in-pieces.ts';
import type { LinkScope } from '../links/link-scope.ts';
import type { DeletedLinkDocument } from './deleted-link.ts';

/**
 * The clicks of a link are purged at the first UTC midnight this long after its deletion. After an outage of
 * analytics-svc, or of a spool, clicks can arrive there long after their link was deleted.
 */
const PURGED_AFTER_MS = 48 * 3_600_000;
const DAY_MS = 24 * 3_600_000;
/** Makes the caches of all replicas notice the change. */
const DATED = { $currentDate: { changed_at: true } } as const;
const NONE: ReadonlySet<string> = new Set();

/** The records of deleted links whose clicks may still exist. Every method throws `unavailable` in an outage. */
export class DeletedLinksStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /**
   * Records that these links of the scope's account are about to be removed. A record that an earlier attempt left is
   * renewed.
   */
  async begin(scope: LinkScope, ids: readonly string[], now: Date): Promise<void> {
    const purge_at = new Date(Math.ceil((now.getTime() + PURGED_AFTER_MS) / DAY_MS) * DAY_MS);
    const update = {
      $set: { account_id: scope.accountId, purge_at },
      $setOnInsert: { confirmed: false },
      ...DATED,
    };
    const notes = ids.map((_id) => ({ updateOne: { filter: { _id }, update, upsert: true } }));
    try {
      await this.#database.run(() => this.#database.deletedLinks.bulkWrite(notes, { ordered: false, ...BOUNDED }));
    } catch (error) {
      if (!isDuplicateKey(error)) throw error;
    }
  }

  /** Records that these links are gone. */
  async confirm(ids: readonly string[]): Promise<void> {
    await this.#database.run(() =>
      this.#database.deletedLinks.updateMany(
        { _id: { $in: [...ids] } },
        { $set: { confirmed: true }, ...DATED },
        BOUNDED,
      ),
    );
  }

  /** Returns true if a deletion of this link of the scope's account is on record, confirmed or not. */
  async has(scope: LinkScope, id: string): Promise<boolean> {
    const found = await this.#database.run(() =>
      this.#database.deletedLinks.findOne({ _id: id, account_id: scope.accountId }, BOUNDED),
    );
    return found !== null;
  }

  /** Yields the ids of all deleted links of the scope's account, in pieces. */
  async *idsOf(scope: LinkScope): AsyncGenerator<string[]> {
    const notes = this.#database.deletedLinks.find({ account_id: scope.accountId }, { projection: { confirmed: 1 } });
    for await (const piece of readInPieces(this.#database, notes)) {
      const unsure = piece.filter(({ confirmed }) => !confirmed).map(({ _id }) => _id);
      const there = unsure.length === 0 ? NONE : await this.#database.run(() => this.#existing(unsure));
      yield piece.map(({ _id }) => _id).filter((id) => !there.has(id));
    }
  }

  /** Returns the first `limit` deleted links whose clicks are to be purged now, in a fixed order. */
  async due(now: Date, limit: number): Promise<DeletedLinkDocument[]> {
    return this.#database.run(() =>
      this.#database.deletedLinks
        .find({ purge_at: { $lte: now } }, BOUNDED)
        .sort({ purge_at: 1, _id: 1 })
        .limit(limit)
        .toArray(),
    );
  }

  /** Removes the records of links that still exist, and returns the ids of the others. */
  async dropFailed(ids: readonly string[]): Promise<string[]> {
    return this.#database.run(async () => {
      const there = await this.#existing(ids);
      if (there.size > 0) await this.#database.deletedLinks.deleteMany({ _id: { $in: [...there] } }, BOUNDED);
      return ids.filter((id) => !there.has(id));
    });
  }

  /** Removes these records. */
  async forget(ids: readonly string[]): Promise<void> {
    await this.#database.run(() => this.#database.deletedLinks.deleteMany({ _id: { $in: [...ids] } }, BOUNDED));
  }

  async #existing(ids: readonly string[]): Promise<Set<string>> {
    const links = await this.#database.links
      .find(
        { account_id: { $in: [...new Set(ids.map(accountIdOfLinkId))] }, _id: { $in: [...ids] } },
        { projection: { _id: 1 }, ...BOUNDED },
      )
      .toArray();
    return new Set(links.map(({ _id }) => _id));
  }
}
