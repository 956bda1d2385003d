import { generateKey, hashSecret, type KeyKind } from '@waymark/auth';
import { KEY_HINT_LENGTH, type Scope } from '@waymark/contract';
import type { StoredKey } from '../database/documents/account.ts';

/** Returns a new key of a kind, and what is stored of it. */
export function newKey(kind: KeyKind, scope: Scope, now: Date): { key: string; stored: StoredKey } {
  const key = generateKey(kind);
  const hash = hashSecret(key).toString('hex');
  return { key, stored: { scope, hash, hint: key.slice(-KEY_HINT_LENGTH), created_at: now } };
}
