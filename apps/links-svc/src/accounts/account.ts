import { AppError, isUsername, PLANS, type Plan, SCOPES, type Scope } from '@waymark/contract';
import type { AccountDocument } from '../database/documents/account.ts';
import { keyOf } from '../database/documents/stored-keys.ts';

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
  const has = (scope: Scope) => keyOf(account.keys, scope) !== undefined;
  return {
    id: account._id,
    username: account.username,
    plan: account.plan,
    createdAt: account.created_at,
    hasLiveKey: has('full_access'),
    hasPublicKey: has('public_links_only'),
  };
}

/** Returns the form in which user names are compared. */
export function usernameKey(username: string): string {
  return username.toLowerCase();
}

/** Returns the key of an account that has given its name back. No user name has it. */
export function freedNameKey(accountId: string): string {
  return `/${accountId}`;
}

/**
 * Returns the user name if it is valid: 1 to 64 letters, digits, `.`, `_` and `-`, with a letter or digit first.
 * @throws {AppError} `invalid` otherwise.
 */
export function checkUsername(username: string): string {
  if (isUsername(username)) return username;
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
