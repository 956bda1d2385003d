import { AppError, type Plan, type Scope, UNAUTHENTICATED_MESSAGE } from '@waymark/contract';
import type { Database } from '../database/database.ts';
import { isDuplicateKey } from '../database/database-errors.ts';
import { BOUNDED, OPERATION_TIMEOUT_MS } from '../database/operation-options.ts';
import {
  type AccountDocument,
  type AccountSelector,
  type DeletedAccountDocument,
  type StoredKey,
  usernameKey,
} from './account.ts';

const AFTER = { returnDocument: 'after', ...BOUNDED } as const;

/** A write that changes what is hidden begins within this time of its announcement, or not at all (ADR 6). */
const BEGINS_WITHIN_MS = 5_000;
const CLOCKS_DIFFER_BY_MS = 5_000;
const HIDDEN_CHANGE_MS = BEGINS_WITHIN_MS + OPERATION_TIMEOUT_MS + CLOCKS_DIFFER_BY_MS;

/** The only code that reads or writes accounts and keys. Every method throws `unavailable` in an outage. */
export class AccountsStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Adds an account. Returns false if its name is taken, ignoring case. */
  async insert(account: AccountDocument): Promise<boolean> {
    try {
      await this.#database.run(() => this.#database.accounts.insertOne(account, BOUNDED));
      return true;
    } catch (error) {
      if (isDuplicateKey(error)) return false;
      throw error;
    }
  }

  /** Returns the account with this name, ignoring case, even if its deletion has begun. */
  async find(username: string): Promise<AccountDocument | null> {
    return this.#database.run(() => this.#database.accounts.findOne({ username_key: usernameKey(username) }, BOUNDED));
  }

  /** Returns the account with this id, even if its deletion has begun. */
  async findById(id: string): Promise<AccountDocument | null> {
    return this.#database.run(() => this.#database.accounts.findOne({ _id: id }, BOUNDED));
  }

  /** Returns the account that has a key with this hash. */
  async findByKeyHash(hash: string): Promise<AccountDocument | null> {
    return this.#database.run(() => this.#database.accounts.findOne({ 'keys.hash': hash }, BOUNDED));
  }

  /** Returns up to `limit` accounts after this id, in the order in which they were created. */
  async list(afterId: string, limit: number): Promise<AccountDocument[]> {
    return this.#database.run(() =>
      this.#database.accounts
        .find({ _id: { $gt: afterId } }, BOUNDED)
        .sort({ _id: 1 })
        .limit(limit)
        .toArray(),
    );
  }

  /** Changes the plan and returns the account, or null if there is no account with this name. */
  async setPlan(username: string, plan: Plan): Promise<AccountDocument | null> {
    return this.#database.run(() =>
      this.#database.accounts.findOneAndUpdate(this.#living({ username }), { $set: { plan } }, AFTER),
    );
  }

  /** Replaces the key of the same scope, or adds one, atomically. Returns false if there is no such account. */
  async setKey(account: AccountSelector, key: StoredKey): Promise<boolean> {
    const { scope } = key;
    return this.#database.run(async () => {
      // A concurrent rotation may add or remove the key between these two writes. Then both are tried again.
      for (;;) {
        const replaced = await this.#database.accounts.updateOne(
          { ...this.#living(account), 'keys.scope': scope },
          { $set: { 'keys.$': key } },
          BOUNDED,
        );
        if (replaced.matchedCount > 0) return true;
        const added = await this.#database.accounts.updateOne(
          { ...this.#living(account), 'keys.scope': { $ne: scope } },
          { $push: { keys: key } },
          BOUNDED,
        );
        if (added.matchedCount > 0) return true;
        if ((await this.#database.accounts.findOne(this.#living(account), BOUNDED)) === null) return false;
      }
    });
  }

  /** Removes the key of a scope. Returns false if there is no such account. */
  async deleteKey(account: AccountSelector, scope: Scope): Promise<boolean> {
    const { matchedCount } = await this.#database.run(() =>
      this.#database.accounts.updateOne(this.#living(account), { $pull: { keys: { scope } } }, BOUNDED),
    );
    return matchedCount > 0;
  }

  /** Records a use of the key, unless the key was replaced or removed. */
  async setLastUsed(key: StoredKey, last_used_at: Date): Promise<void> {
    await this.#database.run(() =>
      this.#database.accounts.updateOne(
        { 'keys.hash': key.hash },
        { $set: { 'keys.$': { ...key, last_used_at } } },
        BOUNDED,
      ),
    );
  }

  /** Makes all sessions and sign-in links of the account invalid. Returns false if there is no such account. */
  async addSignOut(username: string): Promise<boolean> {
    const { matchedCount } = await this.#database.run(() =>
      this.#database.accounts.updateOne(this.#living({ username }), { $inc: { sign_outs: 1 } }, BOUNDED),
    );
    return matchedCount > 0;
  }

  /** Begins or continues the deletion of an account: removes its keys. Returns null if no account has this name. */
  async beginDeletion(username: string, now: Date): Promise<AccountDocument | null> {
    return this.#database.run(() =>
      this.#database.accounts.findOneAndUpdate(
        { username_key: usernameKey(username) },
        { $set: { keys: [], deleting_at: now } },
        AFTER,
      ),
    );
  }

  /** Records that an account is being deleted. An existing record stays unchanged. */
  async noteDeleted(_id: string, deleted_at: Date): Promise<void> {
    await this.#database.run(() =>
      this.#database.deletedAccounts.updateOne({ _id }, { $setOnInsert: { deleted_at } }, { upsert: true, ...BOUNDED }),
    );
  }

  /** Returns the records of deleted accounts. */
  async listDeleted(): Promise<DeletedAccountDocument[]> {
    return this.#database.run(() => this.#database.deletedAccounts.find({}, BOUNDED).toArray());
  }

  /** Removes the record of a deleted account. */
  async forgetDeleted(_id: string): Promise<void> {
    await this.#database.run(() => this.#database.deletedAccounts.deleteOne({ _id }, BOUNDED));
  }

  /** Removes the account itself, which is the last step of its deletion. */
  async delete(id: string): Promise<void> {
    await this.#database.run(() => this.#database.accounts.deleteOne({ _id: id }, BOUNDED));
  }

  /**
   * Announces a write that changes which links of the account are hidden, archived or counted. Returns the time of
   * `performance.now()` until which the write must begin.
   * @throws {AppError} `unauthenticated` if the account no longer exists.
   */
  async announceHiddenChange(id: string): Promise<number> {
    const untilMs = performance.now() + BEGINS_WITHIN_MS;
    const changingUntil = new Date(Date.now() + HIDDEN_CHANGE_MS);
    const { matchedCount } = await this.#database.run(() =>
      this.#database.accounts.updateOne(
        { _id: id, deleting_at: { $exists: false } },
        { $inc: { hidden_revision: 1 }, $max: { hidden_changing_until: changingUntil } },
        BOUNDED,
      ),
    );
    if (matchedCount === 0) throw new AppError('unauthenticated', UNAUTHENTICATED_MESSAGE);
    return untilMs;
  }

  #living(account: AccountSelector) {
    const selected =
      'accountId' in account ? { _id: account.accountId } : { username_key: usernameKey(account.username) };
    return { ...selected, deleting_at: { $exists: false } };
  }
}
