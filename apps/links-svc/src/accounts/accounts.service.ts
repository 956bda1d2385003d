import { generateKey, hashKey } from '@waymark/auth';
import { AppError, type Plan, type Scope } from '@waymark/contract';
import { newAccountId } from '../database/ids.ts';
import type { IdempotencyStore } from '../links/idempotency.store.ts';
import type { LinksService } from '../links/links.service.ts';
import { type AccountSummary, checkPlan, checkScope, checkUsername, summaryOf, usernameKey } from './account.ts';
import type { AccountsStore } from './accounts.store.ts';

/** Whom a key stands for. */
export interface ResolvedKey {
  accountId: string;
  username: string;
  plan: Plan;
  scope: Scope;
}

export interface AccountsServiceDeps {
  accounts: AccountsStore;
  idempotency: IdempotencyStore;
  links: Pick<LinksService, 'deleteAllOf'>;
}

const PAGE_SIZE_DEFAULT = 100;
const PAGE_SIZE_MAX = 1_000;
const KEY_HASH_BYTES = 32;

/** A signed identity is believed for 65 seconds and a request ends within 5; the rest is for clocks that disagree. */
const SWEPT_FOR_MS = 300_000;

/** What is done with accounts and keys. Who may do it is for the doors to check. */
export class AccountsService {
  readonly #deps: AccountsServiceDeps;

  constructor(deps: AccountsServiceDeps) {
    this.#deps = deps;
  }

  /**
   * Whom the key with this SHA-256 stands for.
   * @throws {AppError} `not_found` where no account has such a key.
   */
  async resolveKey(hash: Uint8Array): Promise<ResolvedKey> {
    const hex = Buffer.from(hash).toString('hex');
    const account = hash.length === KEY_HASH_BYTES ? await this.#deps.accounts.findByKeyHash(hex) : null;
    const key = account?.keys.find((one) => one.hash === hex);
    if (account === null || key === undefined) throw new AppError('not_found', 'No account has this key.');
    return { accountId: account._id, username: account.username, plan: account.plan, scope: key.scope };
  }

  /**
   * A new account with a key of each scope, which nobody can read again.
   * @throws {AppError} `invalid` for a bad name or plan, `conflict` for a name that is taken.
   */
  async create(
    username: string,
    plan: string,
  ): Promise<{ account: AccountSummary; liveKey: string; publicKey: string }> {
    const now = new Date();
    const liveKey = generateKey('full_access');
    const publicKey = generateKey('public_links_only');
    const account = {
      _id: newAccountId(now.getTime()),
      username: checkUsername(username),
      username_key: usernameKey(username),
      plan: checkPlan(plan),
      keys: [
        { scope: 'full_access' as const, hash: hashKey(liveKey).toString('hex'), created_at: now },
        { scope: 'public_links_only' as const, hash: hashKey(publicKey).toString('hex'), created_at: now },
      ],
      created_at: now,
      hidden_revision: 0,
      hidden_changing_until: now,
    };
    if (!(await this.#deps.accounts.insert(account)))
      throw new AppError('conflict', `The user name "${username}" is taken; choose another one.`);
    return { account: summaryOf(account), liveKey, publicKey };
  }

  /** @throws {AppError} `not_found`. */
  async get(username: string): Promise<AccountSummary> {
    const account = await this.#deps.accounts.find(username);
    if (account === null) throw noAccount(username);
    return summaryOf(account);
  }

  /**
   * One page of all accounts, oldest first. A size of 0 is 100; more than 1,000 is 1,000. The token of the page after
   * it is empty where there is none.
   */
  async list(pageSize: number, pageToken: string): Promise<{ accounts: AccountSummary[]; nextPageToken: string }> {
    const size = Math.min(pageSize > 0 ? pageSize : PAGE_SIZE_DEFAULT, PAGE_SIZE_MAX);
    const found = await this.#deps.accounts.list(pageToken, size + 1);
    const accounts = found.slice(0, size);
    return {
      accounts: accounts.map(summaryOf),
      nextPageToken: found.length > size ? (accounts.at(-1)?._id ?? '') : '',
    };
  }

  /** @throws {AppError} `invalid` for a bad plan, `not_found`. */
  async setPlan(username: string, plan: string): Promise<AccountSummary> {
    const account = await this.#deps.accounts.setPlan(username, checkPlan(plan));
    if (account === null) throw noAccount(username);
    return summaryOf(account);
  }

  /**
   * Deletes an account: its keys first, then its links, then itself. Cut off at any point, a repetition finishes it, and
   * so does {@link sweepDeleted}.
   * @throws {AppError} `not_found`.
   */
  async delete(username: string): Promise<void> {
    const now = new Date();
    const account = await this.#deps.accounts.beginDeletion(username, now);
    if (account === null) throw noAccount(username);
    await this.#deps.accounts.noteDeleted(account._id, now);
    await this.#removeAllOf(account._id);
  }

  /**
   * Removes what has been added to accounts since they were deleted. A request that was let in before the deletion can
   * add a link after it; none can once {@link SWEPT_FOR_MS} have passed, and then the account is forgotten.
   */
  async sweepDeleted(now: Date): Promise<void> {
    for (const { _id, deleted_at } of await this.#deps.accounts.listDeleted()) {
      await this.#removeAllOf(_id);
      if (deleted_at.getTime() + SWEPT_FOR_MS <= now.getTime()) await this.#deps.accounts.forgetDeleted(_id);
    }
  }

  /**
   * A new key of the scope; the one before it stops working.
   * @throws {AppError} `invalid` for a bad scope, `not_found`.
   */
  async rotateKey(username: string, scope: string): Promise<string> {
    const checked = checkScope(scope);
    const key = generateKey(checked);
    const hash = hashKey(key).toString('hex');
    if (!(await this.#deps.accounts.setKey(username, checked, hash, new Date()))) throw noAccount(username);
    return key;
  }

  /**
   * Makes the key of the scope stop working; no key of that scope is left.
   * @throws {AppError} `invalid` for a bad scope, `not_found`.
   */
  async revokeKey(username: string, scope: string): Promise<void> {
    if (!(await this.#deps.accounts.deleteKey(username, checkScope(scope)))) throw noAccount(username);
  }

  async #removeAllOf(accountId: string): Promise<void> {
    await this.#deps.links.deleteAllOf(accountId);
    await this.#deps.idempotency.deleteAll(accountId);
    await this.#deps.accounts.delete(accountId);
  }
}

function noAccount(username: string): AppError {
  return new AppError('not_found', `There is no account named "${username.slice(0, 64)}".`);
}
