import { createHash, randomInt } from 'node:crypto';
import type { Scope } from '@waymark/contract';

const PREFIXES = { full_access: 'key_live_', public_links_only: 'key_pub_' } as const satisfies Record<Scope, string>;
const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const SECRET_LENGTH = 40;
const FORM = /^key_(live|pub)_[0-9A-Za-z]{32,128}$/;

/** A new API key of the scope: its prefix and 40 base62 characters (238 bits) from the system's random source. */
export function generateKey(scope: Scope): string {
  let key: string = PREFIXES[scope];
  for (let i = 0; i < SECRET_LENGTH; i++) key += BASE62[randomInt(BASE62.length)];
  return key;
}

/** The key and the scope that its prefix names, or null where the text has not the form of a key. Looks nothing up. */
export function parseKey(text: string): { scope: Scope; key: string } | null {
  const kind = FORM.exec(text)?.[1];
  if (kind === undefined) return null;
  return { scope: kind === 'live' ? 'full_access' : 'public_links_only', key: text };
}

/**
 * The SHA-256 of a key, 32 bytes: what is stored and what is asked for. A key has too many random bits to be guessed,
 * so that a fast hash is safe, and looking up by the hash leaks nothing about the key through timing.
 */
export function hashKey(key: string): Buffer {
  return createHash('sha256').update(key, 'utf8').digest();
}
