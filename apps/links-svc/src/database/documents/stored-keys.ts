import type { Scope } from '@waymark/contract';
import type { StoredKey, StoredRestriction } from './account.ts';

/** A restricted key as it is stored. */
export type StoredRestrictedKey = StoredKey & { restriction: StoredRestriction };

type Keys = readonly StoredKey[];

/** Returns the key of the scope, or undefined if it was revoked. */
export function keyOf(keys: Keys, scope: Scope): StoredKey | undefined {
  return keys.find((key) => isOfScope(key, scope) && key.expires_at === undefined);
}

/** Returns the key that the key of the scope has replaced, if it still works. */
export function oldKeyOf(keys: Keys, scope: Scope, now: Date): StoredKey | undefined {
  return keys.find((key) => isOfScope(key, scope) && key.expires_at !== undefined && works(key, now));
}

/** Returns the restricted key with this id, or undefined. It may have expired. */
export function restrictedKeyOf(keys: Keys, id: string): StoredRestrictedKey | undefined {
  return restrictedKeys(keys).find(({ restriction }) => restriction.id === id);
}

/** Returns the restricted keys in the order of their creation. Some may have expired. */
export function restrictedKeys(keys: Keys): StoredRestrictedKey[] {
  return keys.filter((key): key is StoredRestrictedKey => key.restriction !== undefined);
}

/** Returns true unless the key has expired. */
export function works({ expires_at }: StoredKey, now: Date): boolean {
  return expires_at === undefined || expires_at > now;
}

function isOfScope({ restriction, scope }: StoredKey, wanted: Scope): boolean {
  return restriction === undefined && scope === wanted;
}
