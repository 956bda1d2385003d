import { AppError, PLANS, type Plan, SCOPES, type Scope } from '@waymark/contract';

/**
 * An account as it is stored. It contains its keys, so that one operation creates or finds the account and its keys.
 */
export interface AccountDocument {
  _id: string;
  username: string;
  /** `username` in lower case. Unique. */
  username_key: string;
  plan: Plan;
  /** At most one key of each scope. Only the hash of a key is stored. */
  keys: StoredKey[];
  created_at: Date;
  /** The number of its last event. Every change of the account or of one of its links raises it. */
  revision: number;
  /** The number of its links by `state` (see `stateOf`). A state without links may be missing. */
  counts: Record<string, number>;
  /** Raised by every change of which links are hidden, and from whom. */
  hidden_revision: number;
  /** The time of its last change by the database's clock, missing before the first. The caches of redirects read it. */
  changed_at?: Date;
  /** How often the key of each scope was revoked. Missing in accounts whose keys never were. */
  revocations?: Partial<Record<Scope, number>>;
  /** How often all sessions of the account were ended. Missing in accounts that never were. */
  sign_outs?: number;
  /** The ids of its passkeys. Missing before the first. */
  passkeys?: string[];
  /** Its short hosts. Missing before the first. */
  hosts?: { id: string; host: string }[];
  /**
   * The bytes that the records of `Idempotency-Key`s take, by the scope of the key and the hour since the epoch. Missing
   * before the first.
   */
  idempotency_bytes?: Partial<Record<Scope, Record<string, number>>>;
  /**
   * Set once the deletion of the account has begun. No key, session or change works from then on. What is left of the
   * account stays for some minutes, so that the caches of redirects notice.
   */
  deleting_at?: Date;
}

/** What the caches of redirects read of an account that changed. */
export type ChangedAccount = Pick<AccountDocument, '_id' | 'revision' | 'deleting_at'> & { changed_at: Date };

export interface StoredKey {
  scope: Scope;
  /** SHA-256 of the key, in hexadecimal. */
  hash: string;
  /** The last characters of the key. Missing in keys that are older than this field. */
  hint?: string;
  created_at: Date;
  /** A time at which the key was used ({@link KeyUses}). Missing until then. */
  last_used_at?: Date;
}

/** Selects an account by its name or by its id. */
export type AccountSelector = { username: string } | { accountId: string };

/** An account as the command line shows it. */
export interface AccountSummary {
  id: string;
  username: string;
  plan: Plan;
  createdAt: Date;
  hasLiveKey: boolean;
  hasPublicKey: boolean;
}

/** Returns the account without the fields that only the store needs. */
export function summaryOf(account: AccountDocument): AccountSummary {
  const has = (scope: Scope) => account.keys.some((key) => key.scope === scope);
  return {
    id: account._id,
    username: account.username,
    plan: account.plan,
    createdAt: account.created_at,
    hasLiveKey: has('full_access'),
    hasPublicKey: has('public_links_only'),
  };
}

const USERNAME = /^[a-z0-9][a-z0-9._-]{0,63}$/i;

/** Returns the form in which user names are compared. */
export function usernameKey(username: string): string {
  return username.toLowerCase();
}

/**
 * Returns the user name if it is valid: 1 to 64 letters, digits, `.`, `_` and `-`, with a letter or digit first.
 * @throws {AppError} `invalid` otherwise.
 */
export function checkUsername(username: string): string {
  if (USERNAME.test(username)) return username;
  throw new AppError(
    'invalid',
    '"username" must be 1 to 64 letters, digits, ".", "_" and "-", and begin with a letter or a digit.',
  );
}

/**
 * Returns the plan if it exists.
 * @throws {AppError} `invalid` otherwise.
 */
export function checkPlan(plan: string): Plan {
  if ((PLANS as readonly string[]).includes(plan)) return plan as Plan;
  throw new AppError('invalid', `"plan" must be one of ${PLANS.join(', ')}.`);
}

/**
 * Returns the scope if it exists.
 * @throws {AppError} `invalid` otherwise.
 */
export function checkScope(scope: string): Scope {
  if ((SCOPES as readonly string[]).includes(scope)) return scope as Scope;
  throw new AppError('invalid', `"scope" must be one of ${SCOPES.join(', ')}.`);
}

/** Returns the error for an account that does not exist. */
export function noAccount(account: AccountSelector): AppError {
  const message =
    'username' in account
      ? `There is no account named "${account.username.slice(0, 64)}".`
      : 'This account no longer exists.';
  return new AppError('not_found', message);
}
