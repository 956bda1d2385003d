import type { Database } from '../database/database.ts';
import type { LinkExpiryDocument } from '../database/documents/link-expiry.ts';
import { BOUNDED_FIND } from '../database/operation-options.ts';

/** Reads which links are to expire. */
export class LinkExpiriesStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /**
   * Returns links that have expired by now, those first that wait for longest.
   * @throws {AppError} `unavailable` in an outage.
   */
  due(now: Date, limit: number): Promise<LinkExpiryDocument[]> {
    return this.#database.run(() =>
      this.#database.collections.linkExpiries
        .find({ due_at: { $lte: now } }, { ...BOUNDED_FIND, limit })
        .sort({ due_at: 1 })
        .toArray(),
    );
  }
}
