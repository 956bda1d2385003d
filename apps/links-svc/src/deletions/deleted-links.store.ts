import type { Database } from '../database/database.ts';
import type { DeletedLinkDocument } from '../database/documents/deleted-link.ts';
import { BOUNDED } from '../database/operation-options.ts';
import { readIdsInPieces } from '../database/read-in-pieces.ts';

/** The records of deleted links whose clicks may still exist. Every method throws `unavailable` in an outage. */
export class DeletedLinksStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Yields the ids of all deleted links of an account ({@link readIdsInPieces}). */
  async *idsOf(accountId: string): AsyncGenerator<string[]> {
    const pieces = readIdsInPieces(this.#database, (after, session) =>
      this.#database.collections.deletedLinks.find<{ _id: string }>(
        { account_id: accountId, _id: { $gt: after } },
        { projection: { _id: 1 }, session },
      ),
    );
    for await (const piece of pieces) yield piece.map(({ _id }) => _id);
  }

  /** Counts the deleted links of an account, up to `limit`. */
  async count(accountId: string, limit: number): Promise<number> {
    return this.#database.run(() =>
      this.#database.collections.deletedLinks.countDocuments({ account_id: accountId }, { ...BOUNDED, limit }),
    );
  }

  /** Returns the first `limit` deleted links whose clicks are to be purged now, in a fixed order. */
  async due(now: Date, limit: number): Promise<DeletedLinkDocument[]> {
    return this.#database.run(() =>
      this.#database.collections.deletedLinks
        .find({ purge_at: { $lte: now } }, BOUNDED)
        .sort({ purge_at: 1, _id: 1 })
        .limit(limit)
        .toArray(),
    );
  }

  /** Removes these records. */
  async forget(ids: readonly string[]): Promise<void> {
    await this.#database.run(() =>
      this.#database.collections.deletedLinks.deleteMany({ _id: { $in: [...ids] } }, BOUNDED),
    );
  }
}
