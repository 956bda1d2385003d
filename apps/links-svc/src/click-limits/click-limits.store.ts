import type { Database } from '../database/database.ts';
import type { ClickLimitDocument } from '../database/documents/click-limit.ts';
import { BOUNDED, BOUNDED_FIND } from '../database/operation-options.ts';

/** Counts the redirects of limited links. Every method throws `unavailable` in an outage. */
export class ClickLimitsStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Takes so many redirects, and returns the limit as it was before, or null if it does not exist any more. */
  take(id: string, count: number): Promise<ClickLimitDocument | null> {
    return this.#database.run(() =>
      this.#database.collections.clickLimits.findOneAndUpdate({ _id: id }, { $inc: { left: -count } }, BOUNDED),
    );
  }

  /** Returns limits of which nothing is left. */
  spent(limit: number): Promise<ClickLimitDocument[]> {
    return this.#database.run(() =>
      this.#database.collections.clickLimits.find({ left: { $lte: 0 } }, { ...BOUNDED_FIND, limit }).toArray(),
    );
  }
}
