import { createHash, randomInt } from 'node:crypto';
import type { Scope } from '@waymark/contract';

const PREFIXES = { full_access: 'key_live_', public_links_only: 'key_pub_' } as const satisfies Record<Scope, string>;
const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const SECRET_LENGTH = 40;
const FORM = /^key_(live|pub)_[0-9A-Za-z]{32,128}$/;

/** Returns a new API key: the scope's prefix and 40 base62 characters (238 bits) from a secure random source. */
export function generateKey(scope: Scope): string {
  let key: string = PREFIXES[scope];
  for (let i = 0; i < SECRET_LENGTH; i++) key += BASE62[randomInt(BASE62.length)];
  return key;
}

/** Returns the key and the scope of its prefix, or null if the text is not formatted as a key. Does no lookup. */
export function parseKey(text: string): { scope: Scope; key: string } | null {
  const kind = FORM.exec(text)?.[1];
  if (kind === undefined) return null;
  return { scope: kind === 'live' ? 'full_access' : 'public_links_only', key: text };
}

/**
 * Returns the SHA-256 of a key (32 bytes), under which keys are stored and looked up. A fast hash is safe because a key
 * has too many random bits to be guessed. A lookup by hash leaks nothing about the key through its timing.
 */
export function hashKey(key: string): Buffer {
  return createHash('sha256').update(key, 'utf8').digest();
}
