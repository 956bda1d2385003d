import { type Database, OPERATION_TIMEOUT_MS } from '../database/database.ts';
import { isDuplicateKey } from '../database/database-errors.ts';
import { readInPieces } from '../database/read-in-pieces.ts';
import type { DeletedLinkDocument } from './deleted-link.ts';
import type { LinkScope } from './link-scope.ts';

/** How long after its deletion the clicks of a link are purged for the first time. */
const FIRST_PURGE_AFTER_MS = 5_000;
const BOUNDED = { maxTimeMS: OPERATION_TIMEOUT_MS };
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
   * Records that these links of the scope's account are about to be removed. An existing record only gets a new
   * `changed_at`.
   */
  async begin(scope: LinkScope, ids: readonly string[], now: Date): Promise<void> {
    const purge_at = new Date(now.getTime() + FIRST_PURGE_AFTER_MS);
    const note = { account_id: scope.accountId, deleted_at: now, confirmed: false, purge_at };
    const notes = ids.map((_id) => ({
      updateOne: { filter: { _id }, update: { $setOnInsert: note, ...DATED }, upsert: true },
    }));
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

  /** Returns at most `limit` deleted links whose clicks are to be purged now. */
  async due(now: Date, limit: number): Promise<DeletedLinkDocument[]> {
    return this.#database.run(() =>
      this.#database.deletedLinks
        .find({ purge_at: { $lte: now } }, BOUNDED)
        .sort({ purge_at: 1 })
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

  /** Confirms these deletions and postpones their next purge. */
  async postpone(ids: readonly string[], until: Date): Promise<void> {
    await this.#database.run(() =>
      this.#database.deletedLinks.updateMany(
        { _id: { $in: [...ids] } },
        { $set: { confirmed: true, purge_at: until } },
        BOUNDED,
      ),
    );
  }

  /** Removes these records. */
  async forget(ids: readonly string[]): Promise<void> {
    await this.#database.run(() => this.#database.deletedLinks.deleteMany({ _id: { $in: [...ids] } }, BOUNDED));
  }

  async #existing(ids: readonly string[]): Promise<Set<string>> {
    const links = await this.#database.links
      .find({ _id: { $in: [...ids] } }, { projection: { _id: 1 }, ...BOUNDED })
      .toArray();
    return new Set(links.map(({ _id }) => _id));
  }
}
