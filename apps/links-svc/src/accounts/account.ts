import { AppError, PLANS, type Plan, SCOPES, type Scope } from '@waymark/contract';

/** An account as it is stored. The keys are in it, so that an account and its keys are made and found as one. */
export interface AccountDocument {
  _id: string;
  username: string;
  /** `username` in lower case: unique. */
  username_key: string;
  plan: Plan;
  /** At most one of each scope; only the hash of a key is known. */
  keys: StoredKey[];
  created_at: Date;
  /** Raised by every write that changes which links are hidden from whom, before the write. */
  hidden_revision: number;
  /** Until then such a write may be under way. */
  hidden_changing_until: Date;
  /** Set once the deletion of the account has begun: no key works any more. */
  deleting_at?: Date;
}

/**
 * What is left of a deleted account for a while: a creation that began before its deletion may still add a link. The
 * name is free again.
 */
export interface DeletedAccountDocument {
  /** The account's id. */
  _id: string;
  deleted_at: Date;
}

export interface StoredKey {
  scope: Scope;
  /** SHA-256 of the key, in hexadecimal. */
  hash: string;
  created_at: Date;
}

/** An account as the command line sees it. */
export interface AccountSummary {
  id: string;
  username: string;
  plan: Plan;
  createdAt: Date;
  hasLiveKey: boolean;
  hasPublicKey: boolean;
}

/** The account without what is only for the store. */
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

/** The form by which user names are compared. */
export function usernameKey(username: string): string {
  return username.toLowerCase();
}

/** @throws {AppError} `invalid` where the text is no user name: 1 to 64 letters, digits, `.`, `_` and `-`. */
export function checkUsername(username: string): string {
  if (USERNAME.test(username)) return username;
  throw new AppError(
    'invalid',
    '"username" must be 1 to 64 letters, digits, ".", "_" and "-", and begin with a letter or a digit.',
  );
}

/** @throws {AppError} `invalid` where the text names no plan. */
export function checkPlan(plan: string): Plan {
  if ((PLANS as readonly string[]).includes(plan)) return plan as Plan;
  throw new AppError('invalid', `"plan" must be one of ${PLANS.join(', ')}.`);
}

/** @throws {AppError} `invalid` where the text names no scope. */
export function checkScope(scope: string): Scope {
  if ((SCOPES as readonly string[]).includes(scope)) return scope as Scope;
  throw new AppError('invalid', `"scope" must be one of ${SCOPES.join(', ')}.`);
}
