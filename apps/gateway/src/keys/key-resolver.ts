import type { AccountIdentity } from '@waymark/auth';
import { atMostEntries } from '@waymark/service-kit';
import { LRUCache } from 'lru-cache';
import type { Credential } from './credential.ts';

/** The account, plan and scope of a valid key or session, and what it may not do of that. */
export type KeyOwner = Omit<AccountIdentity, 'kind' | 'byAdmin'>;

/** Finds the owner of a key or session; null if there is none. Rejects if the lookup fails. */
export type KeyLookup = (credential: Credential, requestId: string) => Promise<KeyOwner | null>;

/** How long a result is cached. A revoked key must stop working within 5 seconds, and a lookup can take one of them. */
export const KEY_TTL_MS = 2000;
const VALID_KEYS_MAX = 50_000;
const UNKNOWN_KEYS_MAX = 10_000;

interface Answer {
  owner: KeyOwner;
  /** When the lookup was sent. The result may not include later changes. */
  requestedAtMs: number;
}

/**
 * A cache in front of the lookup. Concurrent requests with the same key share one lookup. Unknown keys have a cache of
 * their own, so that a flood of them cannot evict valid keys. Failed lookups are not cached.
 */
export class KeyResolver {
  readonly #lookup: KeyLookup;
  readonly #now: () => number;
  readonly #valid = new LRUCache<string, Answer>(atMostEntries(VALID_KEYS_MAX));
  readonly #unknown = new LRUCache<string, number>({ max: UNKNOWN_KEYS_MAX });
  readonly #running = new Map<string, Promise<KeyOwner | null>>();

  constructor(lookup: KeyLookup, now: () => number = () => performance.now()) {
    this.#lookup = lookup;
    this.#now = now;
  }

  /** Returns the owner, at most {@link KEY_TTL_MS} old; null if unknown or revoked. Rejects if the lookup does. */
  async resolve(credential: Credential, requestId: string): Promise<KeyOwner | null> {
    const known = this.peek(credential);
    if (known !== undefined) return known;
    const { hash } = credential;
    const running = this.#running.get(hash) ?? this.#lookUp(credential, requestId);
    this.#running.set(hash, running);
    return running;
  }

  /** Returns what {@link resolve} would, if that needs no lookup. */
  peek({ hash }: Credential): KeyOwner | null | undefined {
    const known = this.#valid.get(hash);
    if (known !== undefined && this.#isFresh(known.requestedAtMs)) return known.owner;
    const unknownSince = this.#unknown.get(hash);
    return unknownSince !== undefined && this.#isFresh(unknownSince) ? null : undefined;
  }

  /** Returns true if the last successful lookup of the key found an owner, even if that result has expired. */
  wasValid({ hash }: Credential): boolean {
    return this.#valid.has(hash);
  }

  #isFresh(requestedAtMs: number): boolean {
    return this.#now() - requestedAtMs < KEY_TTL_MS;
  }

  async #lookUp(credential: Credential, requestId: string): Promise<KeyOwner | null> {
    const { hash } = credential;
    const requestedAtMs = this.#now();
    try {
      const owner = await this.#lookup(credential, requestId);
      if (owner === null) {
        this.#valid.delete(hash);
        this.#unknown.set(hash, requestedAtMs);
      } else {
        this.#unknown.delete(hash);
        this.#valid.set(hash, { owner, requestedAtMs });
      }
      return owner;
    } finally {
      this.#running.delete(hash);
    }
  }
}
