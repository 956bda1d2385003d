import type { Database } from '../database/database.ts';
import { isDuplicateKey } from '../database/database-errors.ts';
import type { PasskeyDocument } from '../database/documents/passkey.ts';
import { BOUNDED, BOUNDED_FIND } from '../database/operation-options.ts';
import type { Challenge } from './challenges.ts';

/** A replica whose clock is behind accepts a challenge for this much longer. */
const CLOCKS_MS = 2 * 60_000;

/** Reads passkeys, and records used challenges. Every method throws `unavailable` in an outage. */
export class PasskeysStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Returns the passkey with this id, or null. */
  async find(_id: string): Promise<PasskeyDocument | null> {
    return this.#database.run(() => this.#database.collections.passkeys.findOne({ _id }, BOUNDED));
  }

  /** Returns the passkeys of an account, oldest first. */
  async listOf(accountId: string): Promise<PasskeyDocument[]> {
    return this.#database.run(() =>
      this.#database.collections.passkeys
        .find({ account_id: accountId }, BOUNDED_FIND)
        .sort({ created_at: 1, _id: 1 })
        .toArray(),
    );
  }

  /** Records that a challenge is used. Returns false if it was used before, or is being used by another request. */
  async useChallenge({ id, expiresAt }: Challenge): Promise<boolean> {
    const used = { _id: id, expires_at: new Date(expiresAt.getTime() + CLOCKS_MS) };
    try {
      await this.#database.run(() => this.#database.collections.usedChallenges.insertOne(used, BOUNDED));
      return true;
    } catch (error) {
      if (isDuplicateKey(error)) return false;
      throw error;
    }
  }

  /** Removes every passkey of an account. */
  async deleteAllOf(accountId: string): Promise<void> {
    await this.#database.run(() => this.#database.collections.passkeys.deleteMany({ account_id: accountId }, BOUNDED));
  }
}
