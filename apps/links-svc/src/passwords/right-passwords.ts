import { createHmac, randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';

const MAX_ENTRIES = 10_000;

/**
 * Remembers which passwords were right, so that a popular link costs one slow hash, not one for each visitor (ADR 59).
 * Keeps keyed hashes in memory only; the key is random and of this object. Wrong passwords are not remembered, so a
 * guess costs as much as without it. A new stored hash makes the entries of the old one useless.
 */
export class RightPasswords {
  readonly #key = randomBytes(32);
  readonly #entries = new LRUCache<string, true>({ max: MAX_ENTRIES });

  /** Returns true if this password is known to be that of the stored hash. */
  has(password: string, stored: string): boolean {
    return this.#entries.has(this.#entryOf(password, stored));
  }

  /** Remembers that this password is that of the stored hash. */
  add(password: string, stored: string): void {
    this.#entries.set(this.#entryOf(password, stored), true);
  }

  #entryOf(password: string, stored: string): string {
    return createHmac('sha256', this.#key).update(`${stored}\n${password}`).digest('base64');
  }
}
