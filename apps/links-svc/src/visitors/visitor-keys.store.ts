import { randomBytes } from 'node:crypto';
import type { Database } from '../database/database.ts';
import { isDuplicateKey } from '../database/database-errors.ts';
import { BOUNDED } from '../database/operation-options.ts';
import { expiryOf, keyIdOf } from './visitor-key.ts';

const KEY_BYTES = 32;

/** The keys of the days, which all replicas share. An index deletes them when they expire. */
export class VisitorKeysStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /**
   * Returns the key of a day in base64. The first replica that asks makes it.
   * @throws {AppError} `unavailable` in an outage.
   */
  async findOrCreate(day: number): Promise<string> {
    const _id = keyIdOf(day);
    const made = { key: randomBytes(KEY_BYTES).toString('base64'), expires_at: expiryOf(day) };
    try {
      await this.#database.run(() =>
        this.#database.collections.visitorKeys.updateOne({ _id }, { $setOnInsert: made }, { upsert: true, ...BOUNDED }),
      );
    } catch (error) {
      // Another replica made it at the same moment.
      if (!isDuplicateKey(error)) throw error;
    }
    const found = await this.#database.run(() => this.#database.collections.visitorKeys.findOne({ _id }, BOUNDED));
    if (found === null) throw new Error(`the key of visitors of ${_id} disappeared`);
    return found.key;
  }
}
