import { AppError, INTERNAL_MESSAGE } from '@waymark/contract';
import type { Database } from '../database/database.ts';
import { isDuplicateKey } from '../database/database-errors.ts';
import { BOUNDED } from '../database/operation-options.ts';
import type { BulkIdempotencyDocument, IdempotencyDocument, IdempotentResponse } from './idempotency.ts';

const ATTEMPTS = 5;

/** The creations and bulk edits of the last day that had an `Idempotency-Key`. Every method throws `unavailable` in an outage. */
export class IdempotencyStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /**
   * Stores the record. If an unexpired one with the same id exists, returns that one instead. It may be of another kind
   * then; its fingerprint differs.
   */
  async begin<Kind extends IdempotencyDocument>(record: Kind, now: Date): Promise<{ isFirst: boolean; record: Kind }> {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      if (await this.#insert(record)) return { isFirst: true, record };
      const kept = await this.#database.run(() => this.#database.idempotency.findOne({ _id: record._id }, BOUNDED));
      if (kept !== null && kept.expires_at > now) return { isFirst: false, record: kept as Kind };
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
  async settle<Answer extends NonNullable<IdempotencyDocument['answer']>>(id: string, answer: Answer): Promise<Answer> {
    return this.#database.run(async () => {
      await this.#database.idempotency.updateOne(
        { _id: id, answer: { $exists: false } },
        { $set: { answer: answer as IdempotentResponse } },
        BOUNDED,
      );
      const kept = await this.#database.idempotency.findOne({ _id: id }, BOUNDED);
      return (kept?.answer ?? answer) as Answer;
    });
  }

  /** Returns the record of a bulk edit. */
  async find(_id: string): Promise<BulkIdempotencyDocument | null> {
    const kept = await this.#database.run(() => this.#database.idempotency.findOne({ _id }, BOUNDED));
    return kept as BulkIdempotencyDocument | null;
  }

  /** Extends the time of a bulk edit without a response. Returns false if another request did so first. */
  async takeOver({ _id, runs_until }: BulkIdempotencyDocument, until: Date): Promise<boolean> {
    const { matchedCount } = await this.#database.run(() =>
      this.#database.idempotency.updateOne(
        { _id, runs_until, answer: { $exists: false } },
        { $set: { runs_until: until } },
        BOUNDED,
      ),
    );
    return matchedCount > 0;
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
