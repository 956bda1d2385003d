import { randomUUID } from 'node:crypto';
import type { ClientSession, Filter } from 'mongodb';
import type { Database } from '../database/database.ts';
import { isDuplicateKey, translateOutage, wasUndone } from '../database/database-errors.ts';
import type { AccountDocument, StoredKey } from '../database/documents/account.ts';
import type { EventDocument } from '../database/documents/event.ts';
import { BOUNDED, BOUNDED_FIND } from '../database/operation-options.ts';
import { writesTo } from '../database/write-all.ts';
import type { ChangedAccount, ChangePosition } from '../events/event.ts';
import { type AccountSelector, freedNameKey, usernameKey } from './account.ts';

const CHANGED = { projection: { revision: 1, change_id: 1, deleting_at: 1, changed_at: 1 }, ...BOUNDED_FIND };

/** Reads accounts, and writes what is not part of a change. Every method throws `unavailable` in an outage. */
export class AccountsStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Adds an account with its first events. Returns false if its name is taken, ignoring case. */
  async insert(account: AccountDocument, first: readonly EventDocument[]): Promise<boolean> {
    for (;;) {
      try {
        await this.#database.transaction(({ collections: { accounts, events }, writeAll }) =>
          writeAll([
            writesTo(accounts, [{ insertOne: { document: account } }]),
            writesTo(
              events,
              first.map((document) => ({ insertOne: { document } })),
            ),
          ]),
        );
        return true;
      } catch (error) {
        if (isDuplicateKey(error)) return false;
        // Another account of this name came first. The repetition sees it.
        if (!wasUndone(error)) throw translateOutage(error);
      }
    }
  }

  /** Returns the account with this name, ignoring case, even if its deletion has begun. */
  async find(username: string): Promise<AccountDocument | null> {
    return this.#database.run(() =>
      this.#database.collections.accounts.findOne({ username_key: usernameKey(username) }, BOUNDED),
    );
  }

  /** Returns the account with this id, even if its deletion has begun. */
  async findById(id: string): Promise<AccountDocument | null> {
    return this.#database.run(() => this.#database.collections.accounts.findOne({ _id: id }, BOUNDED));
  }

  /** Returns the account, or null if there is none or if its deletion has begun. */
  async findLiving(account: AccountSelector): Promise<AccountDocument | null> {
    const found = 'accountId' in account ? await this.findById(account.accountId) : await this.find(account.username);
    return found === null || found.deleting_at !== undefined ? null : found;
  }

  /** Returns the account that has a key with this hash. */
  async findByKeyHash(hash: string): Promise<AccountDocument | null> {
    return this.#database.run(() => this.#database.collections.accounts.findOne({ 'keys.hash': hash }, BOUNDED));
  }

  /** Returns up to `limit` accounts after this id that are not being deleted, in the order of their creation. */
  async list(afterId: string, limit: number): Promise<AccountDocument[]> {
    return this.#database.run(() =>
      this.#database.collections.accounts
        .find({ _id: { $gt: afterId }, deleting_at: { $exists: false } }, BOUNDED)
        .sort({ _id: 1 })
        .limit(limit)
        .toArray(),
    );
  }

  /** Records a use of the key, unless the key was replaced or removed. */
  async setLastUsed({ hash }: StoredKey, last_used_at: Date): Promise<void> {
    await this.#database.run(() =>
      this.#database.collections.accounts.updateOne(
        { 'keys.hash': hash },
        // The field alone: the key may have got an end since it was read.
        { $set: { 'keys.$.last_used_at': last_used_at, write_id: randomUUID() } },
        BOUNDED,
      ),
    );
  }

  /** Returns the account that changed last, or null. */
  async lastChanged(session: ClientSession): Promise<ChangedAccount | null> {
    const changed = this.#database.collections.accounts
      .find<ChangedAccount>({ changed_at: { $exists: true } }, { ...CHANGED, limit: 1, session })
      .sort({ changed_at: -1 });
    return this.#database.run(async () => (await changed.toArray())[0] ?? null);
  }

  /** Returns up to `limit` accounts after a position, in the order of their changes. */
  async changedAfter(
    { changedAt, accountId }: ChangePosition,
    limit: number,
    session: ClientSession,
  ): Promise<ChangedAccount[]> {
    const find = (filter: Filter<AccountDocument>, most: number) =>
      this.#database.run(() =>
        this.#database.collections.accounts
          .find<ChangedAccount>(filter, { ...CHANGED, limit: most, session })
          .sort({ changed_at: 1, _id: 1 })
          .toArray(),
      );
    const same = accountId === '' ? [] : await find({ changed_at: changedAt, _id: { $gt: accountId } }, limit);
    if (same.length === limit) return same;
    return [...same, ...(await find({ changed_at: { $gt: changedAt } }, limit - same.length))];
  }

  /** Returns the user names of accounts, by their ids, without those that are being deleted. */
  async usernames(ids: readonly string[]): Promise<Map<string, string>> {
    const found = await this.#database.run(() =>
      this.#database.collections.accounts
        .find<Pick<AccountDocument, '_id' | 'username'>>(
          { _id: { $in: [...ids] }, deleting_at: { $exists: false } },
          { projection: { username: 1 }, ...BOUNDED_FIND },
        )
        .toArray(),
    );
    return new Map(found.map(({ _id, username }) => [_id, username]));
  }

  /** Returns the accounts whose deletion has begun and that are not forgotten, in that order. */
  async listDeleting(): Promise<AccountDocument[]> {
    return this.#database.run(() =>
      this.#database.collections.accounts
        .find({ deleting_at: { $exists: true }, expires_at: { $exists: false } }, BOUNDED_FIND)
        .sort({ deleting_at: 1 })
        .toArray(),
    );
  }

  /** Frees the name of an account that is being deleted. All replicas learn then that what it had is gone. */
  async freeName(_id: string): Promise<void> {
    await this.#database.run(() =>
      this.#database.collections.accounts.updateOne(
        { _id },
        { $set: { username_key: freedNameKey(_id), write_id: randomUUID() }, $currentDate: { changed_at: true } },
        BOUNDED,
      ),
    );
  }

  /**
   * Forgets the account, which is the last step of its deletion. Its id stays until `expires_at`: a replica that could not
   * follow its log meanwhile learns from it that the account is gone.
   */
  async forget(_id: string, expires_at: Date): Promise<void> {
    const nothing = { username: '', keys: [], passkeys: [], hosts: [], counts: {} };
    await this.#database.run(() =>
      this.#database.collections.accounts.updateOne(
        { _id },
        { $set: { ...nothing, expires_at, write_id: randomUUID() }, $currentDate: { changed_at: true } },
        BOUNDED,
      ),
    );
  }
}
