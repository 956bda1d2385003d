import { randomUUID } from 'node:crypto';
import type { KeyRestriction } from '@waymark/auth';
import {
  AppError,
  type CreateRestrictedKeyInput,
  foldHashtag,
  type NewRestrictedKey,
  NO_SUCH_RESTRICTED_KEY_MESSAGE,
  RESTRICTED_KEYS_FULL_MESSAGE,
  RESTRICTED_KEYS_MAX,
  type RestrictedKey,
  timeOfRfc3339,
} from '@waymark/contract';
import type { AccountDraft } from '../changes/account-draft.ts';
import type { StoredKey, StoredRestriction } from '../database/documents/account.ts';
import type { Actor } from '../database/documents/event.ts';
import {
  keyOf,
  restrictedKeyOf,
  restrictedKeys,
  type StoredRestrictedKey,
  works,
} from '../database/documents/stored-keys.ts';
import { shownHint } from '../events/actor.ts';
import { newKey } from './new-key.ts';

/** Returns what an identity says of a restricted key. */
export function identityKeyOf({ expires_at }: StoredKey, restriction: StoredRestriction): KeyRestriction {
  return { ...restriction, expiresAt: expires_at?.toISOString() ?? null };
}

/**
 * Adds a restricted key to an account. The key itself is only in the result. Keys that have expired make room.
 * @throws {AppError} `invalid` if the account has no key of the scope or too many restricted keys, or if the key would
 *   have expired already.
 */
export function createRestrictedKey(
  draft: AccountDraft,
  input: CreateRestrictedKeyInput,
  actor: Actor,
): NewRestrictedKey {
  const { account, now } = draft;
  const { scope, name, actions } = input;
  if (keyOf(account.keys, scope) === undefined)
    throw new AppError('invalid', `The account has no key of "scope" ${scope}, which this key would belong to.`);
  const expires_at = input.expires_at ? timeOfRfc3339(input.expires_at) : null;
  if (expires_at !== null && expires_at <= now) throw new AppError('invalid', '"expires_at" must be in the future.');
  const others = account.keys.filter((one) => one.restriction === undefined || works(one, now));
  if (restrictedKeys(others).length >= RESTRICTED_KEYS_MAX) throw new AppError('invalid', RESTRICTED_KEYS_FULL_MESSAGE);
  const { key, stored: made } = newKey('restricted', scope, now);
  const stored: StoredRestrictedKey = {
    ...made,
    ...(expires_at !== null && { expires_at }),
    restriction: { id: randomUUID(), name, actions, hashtag: input.hashtag ? foldHashtag(input.hashtag) : null },
  };
  draft.set({ keys: [...others, stored] });
  draft.append({ type: 'key.created', actor, data: eventDataOf(stored) });
  return { ...shownRestrictedKey(stored), key };
}

/**
 * Removes a restricted key of an account.
 * @throws {AppError} `not_found`.
 */
export function deleteRestrictedKey(draft: AccountDraft, id: string, actor: Actor): void {
  const { keys } = draft.account;
  const deleted = restrictedKeyOf(keys, id);
  if (deleted === undefined || !works(deleted, draft.now))
    throw new AppError('not_found', NO_SUCH_RESTRICTED_KEY_MESSAGE);
  draft.set({ keys: keys.filter((one) => one !== deleted) });
  draft.append({ type: 'key.revoked', actor, data: eventDataOf(deleted) });
}

/** Returns a restricted key as clients see it. */
export function shownRestrictedKey(key: StoredRestrictedKey): RestrictedKey {
  const { restriction, scope, hint, expires_at, created_at, last_used_at } = key;
  const { id, name, actions, hashtag } = restriction;
  return {
    id,
    name,
    scope,
    hint: shownHint(hint),
    actions,
    hashtag,
    expires_at: expires_at?.toISOString() ?? null,
    created_at: created_at.toISOString(),
    last_used_at: last_used_at?.toISOString() ?? null,
  };
}

function eventDataOf({ scope, hint, restriction: { id, name } }: StoredRestrictedKey) {
  return { scope, hint: shownHint(hint), id, name };
}
