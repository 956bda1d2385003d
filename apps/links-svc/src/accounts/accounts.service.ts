import { randomBytes, randomUUID } from 'node:crypto';
import type { AccountIdentity } from '@waymark/auth';
import {
  type AccountKey,
  AppError,
  type CreateRestrictedKeyInput,
  GRACE_MAX_SECONDS,
  type NewRestrictedKey,
  type RestrictedKey,
  SCOPES,
  type Scope,
} from '@waymark/contract';
import { AccountDraft, Documents } from '../changes/account-draft.ts';
import type { ChangeQueue } from '../changes/change-queue.ts';
import type { StoredKey } from '../database/documents/account.ts';
import type { Actor } from '../database/documents/event.ts';
import { keyOf, oldKeyOf, restrictedKeys, works } from '../database/documents/stored-keys.ts';
import { newAccountId } from '../database/ids.ts';
import { ADMIN, shownHint } from '../events/actor.ts';
import type { Uses } from '../uses.ts';
import {
  type AccountSelector,
  type AccountSummary,
  checkPlan,
  checkUsername,
  noAccount,
  summaryOf,
  usernameKey,
} from './account.ts';
import type { AccountsStore } from './accounts.store.ts';
import { newKey } from './new-key.ts';
import { createRestrictedKey, deleteRestrictedKey, identityKeyOf, shownRestrictedKey } from './restricted-keys.ts';

/** The account and scope that a key belongs to, and what a restricted key may do. */
export type ResolvedKey = Pick<AccountIdentity, 'accountId' | 'username' | 'plan' | 'scope' | 'key'>;

/** The replacement of a key. */
export interface KeyRotation {
  scope: Scope;
  /** How long the old key works beside the new one. */
  graceSeconds: number;
  actor: Actor;
}

export interface AccountsServiceDeps {
  accounts: AccountsStore;
  changes: Pick<ChangeQueue, 'run'>;
  /** How long events are kept. */
  eventsLifetimeMs: number;
  keyUses: Pick<Uses<StoredKey>, 'record'>;
  /** The clock, in milliseconds. */
  now: () => number;
}

const PAGE_SIZE_DEFAULT = 100;
const PAGE_SIZE_MAX = 1_000;
const KEY_HASH_BYTES = 32;

/** About how many bytes a change of an account writes. */
const CHANGE_BYTES = 4_096;

/** The use cases of accounts and keys. The transports check who may call them. */
export class AccountsService {
  readonly #deps: AccountsServiceDeps;

  constructor(deps: AccountsServiceDeps) {
    this.#deps = deps;
  }

  /**
   * Returns whose key has this SHA-256 and what it may do, and records that the key is used.
   * @throws {AppError} `not_found` if no account has such a key, or if it has expired.
   */
  async resolveKey(hash: Uint8Array): Promise<ResolvedKey> {
    const hex = Buffer.from(hash).toString('hex');
    const account = hash.length === KEY_HASH_BYTES ? await this.#deps.accounts.findByKeyHash(hex) : null;
    const key = account?.keys.find((one) => one.hash === hex);
    if (account === null || key === undefined || !works(key, new Date(this.#deps.now())))
      throw new AppError('not_found', 'No account has this key.');
    this.#deps.keyUses.record(key);
    const owner = { accountId: account._id, username: account.username, plan: account.plan, scope: key.scope };
    return key.restriction === undefined ? owner : { ...owner, key: identityKeyOf(key, key.restriction) };
  }

  /**
   * Creates an account with a key of each scope. The keys are returned only here: the service stores their hashes.
   * @throws {AppError} `invalid` for a bad name or plan, `conflict` for a name that is taken.
   */
  async create(
    username: string,
    plan: string,
    actor: Actor,
  ): Promise<{ account: AccountSummary; liveKey: string; publicKey: string }> {
    const now = new Date();
    const live = newKey('full_access', 'full_access', now);
    const pub = newKey('public_links_only', 'public_links_only', now);
    const account = {
      _id: newAccountId(now.getTime()),
      username: checkUsername(username),
      username_key: usernameKey(username),
      plan: checkPlan(plan),
      keys: [live.stored, pub.stored],
      created_at: now,
      revision: 0,
      change_id: randomUUID(),
      events_key: randomBytes(16).toString('hex'),
      counts: {},
      hidden_change_id: randomUUID(),
      write_id: randomUUID(),
      revocations: { full_access: 0, public_links_only: 0 },
      sign_outs: 0,
      passkeys: [],
      hosts: [],
      idempotency_bytes: { full_access: {}, public_links_only: {} },
    };
    const draft = new AccountDraft(account, new Documents(), now, this.#deps.eventsLifetimeMs);
    draft.append({ type: 'account.plan_changed', actor, data: { from: null, to: account.plan } });
    if (!(await this.#deps.accounts.insert(draft.after, draft.events)))
      throw new AppError('conflict', `The user name "${username}" is taken; choose another one.`);
    return { account: summaryOf(account), liveKey: live.key, publicKey: pub.key };
  }

  /**
   * Returns the account with this name.
   * @throws {AppError} `not_found`.
   */
  async get(username: string): Promise<AccountSummary> {
    const account = await this.#deps.accounts.find(username);
    if (account === null) throw noAccount({ username });
    return summaryOf(account);
  }

  /**
   * Returns one page of all accounts, oldest first. A page size of 0 means 100, and the maximum is 1,000. The next page
   * token is empty on the last page.
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

  /**
   * Changes the plan of an account and returns the account.
   * @throws {AppError} `invalid` for a bad plan, `not_found`.
   */
  async setPlan(username: string, plan: string): Promise<AccountSummary> {
    const to = checkPlan(plan);
    return this.#change({ username }, (draft) => {
      const { plan: from } = draft.account;
      if (from !== to) {
        draft.set({ plan: to });
        draft.append({ type: 'account.plan_changed', actor: ADMIN, data: { from, to } });
      }
      return summaryOf(draft.account);
    });
  }

  /**
   * Returns the keys of an account without the keys themselves, Full Access first.
   * @throws {AppError} `not_found`.
   */
  async listKeys(accountId: string): Promise<AccountKey[]> {
    const account = await this.#deps.accounts.findLiving({ accountId });
    if (account === null) throw noAccount({ accountId });
    const { keys } = account;
    const now = new Date(this.#deps.now());
    return SCOPES.flatMap((scope) => {
      const key = keyOf(keys, scope);
      return key === undefined ? [] : [shownKey(key, oldKeyOf(keys, scope, now))];
    });
  }

  /**
   * Returns a new key of the scope. The previous one goes on working for so many seconds; one before it does not.
   * @throws {AppError} `not_found`, `invalid` for more than a day.
   */
  async rotateKey(account: AccountSelector, { scope, graceSeconds, actor }: KeyRotation): Promise<string> {
    if (graceSeconds > GRACE_MAX_SECONDS)
      throw new AppError('invalid', `"grace_seconds" must be at most ${GRACE_MAX_SECONDS}.`);
    const { key, stored } = newKey(scope, scope, new Date());
    await this.#change(account, (draft) => {
      const { keys } = draft.account;
      const others = keys.filter((one) => one.scope !== scope || one.restriction !== undefined);
      const old = graceSeconds > 0 ? keyOf(keys, scope) : undefined;
      const expires_at = new Date(draft.now.getTime() + graceSeconds * 1_000);
      draft.set({ keys: [...others, ...(old === undefined ? [] : [{ ...old, expires_at }]), stored] });
      draft.append({ type: 'key.rotated', actor, data: { scope, hint: shownHint(stored.hint) } });
    });
    return key;
  }

  /**
   * Revokes the key of the scope, with the one that it replaced, and ends the restricted keys that belong to it. The
   * account has no key of that scope afterwards.
   * @throws {AppError} `not_found`.
   */
  async revokeKey(account: AccountSelector, scope: Scope, actor: Actor): Promise<void> {
    await this.#change(account, (draft) => {
      const { keys, revocations } = draft.account;
      const revoked = keyOf(keys, scope);
      if (revoked === undefined) return;
      draft.set({
        keys: keys.filter((one) => one.scope !== scope),
        revocations: { ...revocations, [scope]: revocations[scope] + 1 },
      });
      draft.append({ type: 'key.revoked', actor, data: { scope, hint: shownHint(revoked.hint) } });
    });
  }

  /**
   * Returns the restricted keys of an account that work, oldest first.
   * @throws {AppError} `not_found`.
   */
  async listRestrictedKeys(selector: AccountSelector): Promise<RestrictedKey[]> {
    const account = await this.#deps.accounts.findLiving(selector);
    if (account === null) throw noAccount(selector);
    const now = new Date(this.#deps.now());
    return restrictedKeys(account.keys)
      .filter((key) => works(key, now))
      .map(shownRestrictedKey);
  }

  /**
   * Adds a restricted key.
   * @throws {AppError} `not_found`, `invalid`.
   */
  async createRestrictedKey(
    account: AccountSelector,
    input: CreateRestrictedKeyInput,
    actor: Actor,
  ): Promise<NewRestrictedKey> {
    return this.#change(account, (draft) => createRestrictedKey(draft, input, actor));
  }

  /**
   * Removes a restricted key.
   * @throws {AppError} `not_found` if there is no such account or key.
   */
  async deleteRestrictedKey(account: AccountSelector, id: string, actor: Actor): Promise<void> {
    await this.#change(account, (draft) => deleteRestrictedKey(draft, id, actor));
  }

  /** Runs a change of the account itself. */
  async #change<Result>(account: AccountSelector, decide: (draft: AccountDraft) => Result): Promise<Result> {
    const found = await this.#deps.accounts.findLiving(account);
    if (found === null) throw noAccount(account);
    return this.#deps.changes.run({
      accountId: found._id,
      size: 1,
      bytes: CHANGE_BYTES,
      reads: () => ({}),
      decide,
    });
  }
}

function shownKey({ scope, hint, created_at, last_used_at }: StoredKey, old: StoredKey | undefined): AccountKey {
  return {
    scope,
    hint: shownHint(hint),
    created_at: created_at.toISOString(),
    last_used_at: last_used_at?.toISOString() ?? null,
    ...(old?.expires_at !== undefined && {
      old_key: { hint: shownHint(old.hint), expires_at: old.expires_at.toISOString() },
    }),
  };
}
