import { hash, randomInt } from 'node:crypto';

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const LENGTH = 40;

/** Returns 40 base62 characters (238 bits) from a secure random source. */
export function randomSecret(): string {
  let secret = '';
  for (let i = 0; i < LENGTH; i++) secret += BASE62[randomInt(BASE62.length)];
  return secret;
}

/**
 * Returns the SHA-256 of a key or token (32 bytes), under which it is stored and looked up. A fast hash is safe because
 * a key or token has too many random bits to be guessed. A lookup by hash leaks nothing about it through its timing.
 */
export function hashSecret(secret: string): Buffer {
  return Buffer.from(hashSecretAsText(secret), 'latin1');
}

/** Like {@link hashSecret}, as 32 Latin-1 characters: a key for maps. */
export function hashSecretAsText(secret: string): string {
  return hash('sha256', secret, 'binary');
}
