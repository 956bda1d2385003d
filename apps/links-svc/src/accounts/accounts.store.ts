import type { Plan, Scope } from '@waymark/contract';
import { type Database, OPERATION_TIMEOUT_MS } from '../database/database.ts';
import { isDuplicateKey } from '../database/database-errors.ts';
import { type AccountDocument, type DeletedAccountDocument, usernameKey } from './account.ts';

const BOUNDED = { maxTimeMS: OPERATION_TIMEOUT_MS };
const AFTER = { returnDocument: 'after', ...BOUNDED } as const;

/** How long after it is announced a write that changes what is hidden may still be under way. */
const HIDDEN_CHANGE_MS = 10_000;

/** The only caller of the database for accounts and keys. Every method throws `unavailable` in an outage. */
export class AccountsStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Adds an account; false where its name is taken, in any case. */
  async insert(account: AccountDocument): Promise<boolean> {
    try {
      await this.#database.run(() => this.#database.accounts.insertOne(account, BOUNDED));
      return true;
    } catch (error) {
      if (isDuplicateKey(error)) return false;
      throw error;
    }
  }

  /** The account of this name, in any case; also one whose deletion has begun. */
  async find(username: string): Promise<AccountDocument | null> {
    return this.#database.run(() => this.#database.accounts.findOne({ username_key: usernameKey(username) }, BOUNDED));
  }

  /** The account of this id; also one whose deletion has begun. */
  async findById(id: string): Promise<AccountDocument | null> {
    return this.#database.run(() => this.#database.accounts.findOne({ _id: id }, BOUNDED));
  }

  /** The account that has a key of this hash. */
  async findByKeyHash(hash: string): Promise<AccountDocument | null> {
    return this.#database.run(() => this.#database.accounts.findOne({ 'keys.hash': hash }, BOUNDED));
  }

  /** Up to `limit` accounts in the order they were made, beginning after the id. */
  async list(afterId: string, limit: number): Promise<AccountDocument[]> {
    return this.#database.run(() =>
      this.#database.accounts
        .find({ _id: { $gt: afterId } }, BOUNDED)
        .sort({ _id: 1 })
        .limit(limit)
        .toArray(),
    );
  }

  /** Changes the plan and gives the account; null where there is none of this name. */
  async setPlan(username: string, plan: Plan): Promise<AccountDocument | null> {
    return this.#database.run(() =>
      this.#database.accounts.findOneAndUpdate(this.#living(username), { $set: { plan } }, AFTER),
    );
  }

  /** Puts a key in the place of the one of the same scope, if any, in one step; false where there is no such account. */
  async setKey(username: string, scope: Scope, hash: string, now: Date): Promise<boolean> {
    const key = { scope, hash, created_at: now };
    return this.#database.run(async () => {
      // Two rotations at once: the later replaces the other's key, wherever it fell between these two writes.
      for (;;) {
        const replaced = await this.#database.accounts.updateOne(
          { ...this.#living(username), 'keys.scope': scope },
          { $set: { 'keys.$': key } },
          BOUNDED,
        );
        if (replaced.matchedCount > 0) return true;
        const added = await this.#database.accounts.updateOne(
          { ...this.#living(username), 'keys.scope': { $ne: scope } },
          { $push: { keys: key } },
          BOUNDED,
        );
        if (added.matchedCount > 0) return true;
        if ((await this.#database.accounts.findOne(this.#living(username), BOUNDED)) === null) return false;
      }
    });
  }

  /** Removes the key of a scope; false where there is no such account. */
  async deleteKey(username: string, scope: Scope): Promise<boolean> {
    const { matchedCount } = await this.#database.run(() =>
      this.#database.accounts.updateOne(this.#living(username), { $pull: { keys: { scope } } }, BOUNDED),
    );
    return matchedCount > 0;
  }

  /** Begins the deletion of an account, or goes on with it: its keys are gone. Null where there is none of this name. */
  async beginDeletion(username: string, now: Date): Promise<AccountDocument | null> {
    return this.#database.run(() =>
      this.#database.accounts.findOneAndUpdate(
        { username_key: usernameKey(username) },
        { $set: { keys: [], deleting_at: now } },
        AFTER,
      ),
    );
  }

  /** Notes that an account is being deleted; what is noted already stays as it is. */
  async noteDeleted(_id: string, deleted_at: Date): Promise<void> {
    await this.#database.run(() =>
      this.#database.deletedAccounts.updateOne({ _id }, { $setOnInsert: { deleted_at } }, { upsert: true, ...BOUNDED }),
    );
  }

  /** The accounts that were noted as deleted. */
  async listDeleted(): Promise<DeletedAccountDocument[]> {
    return this.#database.run(() => this.#database.deletedAccounts.find({}, BOUNDED).toArray());
  }

  /** Forgets an account that was noted as deleted. */
  async forgetDeleted(_id: string): Promise<void> {
    await this.#database.run(() => this.#database.deletedAccounts.deleteOne({ _id }, BOUNDED));
  }

  /** Removes the account itself: the last step of its deletion. */
  async delete(id: string): Promise<void> {
    await this.#database.run(() => this.#database.accounts.deleteOne({ _id: id }, BOUNDED));
  }

  /**
   * Announces a write that changes which links of the account are hidden: called before the write, which must then
   * happen within {@link HIDDEN_CHANGE_MS}. False where the account does not exist any more.
   */
  async announceHiddenChange(id: string, now: Date): Promise<boolean> {
    const until = new Date(now.getTime() + HIDDEN_CHANGE_MS);
    const { matchedCount } = await this.#database.run(() =>
      this.#database.accounts.updateOne(
        { _id: id, deleting_at: { $exists: false } },
        { $inc: { hidden_revision: 1 }, $max: { hidden_changing_until: until } },
        BOUNDED,
      ),
    );
    return matchedCount > 0;
  }

  #living(username: string) {
    return { username_key: usernameKey(username), deleting_at: { $exists: false } };
  }
}
