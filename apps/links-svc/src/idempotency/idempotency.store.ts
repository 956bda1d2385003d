import type { Database } from '../database/database.ts';
import type { IdempotencyDocument } from '../database/documents/idempotency.ts';
import { BOUNDED } from '../database/operation-options.ts';

/** The requests of the last day that had an `Idempotency-Key`. Every method throws `unavailable` in an outage. */
export class IdempotencyStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Returns the record with this id, or null. */
  async find(_id: string): Promise<IdempotencyDocument | null> {
    return this.#database.run(() => this.#database.collections.idempotency.findOne({ _id }, BOUNDED));
  }

  /** Removes every record of an account. */
  async deleteAllOf(accountId: string): Promise<void> {
    await this.#database.run(() =>
      this.#database.collections.idempotency.deleteMany({ account_id: accountId }, BOUNDED),
    );
  }
}
