import { AppError, INTERNAL_MESSAGE } from '@waymark/contract';
import { type Database, OPERATION_TIMEOUT_MS } from '../database/database.ts';
import { isDuplicateKey } from '../database/database-errors.ts';
import type { IdempotencyDocument, IdempotentAnswer } from './idempotency.ts';

const BOUNDED = { maxTimeMS: OPERATION_TIMEOUT_MS };
const ATTEMPTS = 5;

/** The creations of the last day that had an `Idempotency-Key`. Every method throws `unavailable` in an outage. */
export class IdempotencyStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Stores the record. If an unexpired one with the same id exists, returns that one instead. */
  async begin(record: IdempotencyDocument, now: Date): Promise<{ isFirst: boolean; record: IdempotencyDocument }> {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      if (await this.#insert(record)) return { isFirst: true, record };
      const kept = await this.#database.run(() => this.#database.idempotency.findOne({ _id: record._id }, BOUNDED));
      if (kept !== null && kept.expires_at > now) return { isFirst: false, record: kept };
      if (kept !== null) {
        // It has expired, but MongoDB has not removed it yet.
        const { _id, expires_at } = kept;
        await this.#database.run(() => this.#database.idempotency.deleteOne({ _id, expires_at }, BOUNDED));
      }
    }
    throw new AppError('internal', INTERNAL_MESSAGE, {
      cause: new Error('an idempotency record was removed as often as it was added'),
    });
  }

  /** Stores the response unless there is one already, and returns the stored one. */
  async settle(id: string, answer: IdempotentAnswer): Promise<IdempotentAnswer> {
    return this.#database.run(async () => {
      await this.#database.idempotency.updateOne(
        { _id: id, answer: { $exists: false } },
        { $set: { answer } },
        BOUNDED,
      );
      const kept = await this.#database.idempotency.findOne({ _id: id }, BOUNDED);
      return kept?.answer ?? answer;
    });
  }

  /** Removes every record of an account. */
  async deleteAll(accountId: string): Promise<void> {
    await this.#database.run(() => this.#database.idempotency.deleteMany({ account_id: accountId }, BOUNDED));
  }

  async #insert(record: IdempotencyDocument): Promise<boolean> {
    try {
      await this.#database.run(() => this.#database.idempotency.insertOne(record, BOUNDED));
      return true;
    } catch (error) {
      if (isDuplicateKey(error)) return false;
      throw error;
    }
  }
}
