import type { Plan, Scope } from '@waymark/contract';
import { atMostEntries } from '@waymark/service-kit';
import { LRUCache } from 'lru-cache';
import type { Credential } from './credential.ts';

/** The account, plan and scope of a valid key or session. */
export interface KeyOwner {
  accountId: string;
  username: string;
  plan: Plan;
  scope: Scope;
  /** Only for a session. */
  sessionId?: string;
}

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
    const key = credential.hash.toString('latin1');
    const isFresh = (requestedAtMs: number) => this.#now() - requestedAtMs < KEY_TTL_MS;
    const known = this.#valid.get(key);
    if (known !== undefined && isFresh(known.requestedAtMs)) return known.owner;
    const unknownSince = this.#unknown.get(key);
    if (unknownSince !== undefined && isFresh(unknownSince)) return null;
    const running = this.#running.get(key) ?? this.#lookUp(key, credential, requestId);
    this.#running.set(key, running);
    return running;
  }

  /** Returns true if the last successful lookup of the key found an owner, even if that result has expired. */
  wasValid({ hash }: Credential): boolean {
    return this.#valid.has(hash.toString('latin1'));
  }

  async #lookUp(key: string, credential: Credential, requestId: string): Promise<KeyOwner | null> {
    const requestedAtMs = this.#now();
    try {
      const owner = await this.#lookup(credential, requestId);
      if (owner === null) {
        this.#valid.delete(key);
        this.#unknown.set(key, requestedAtMs);
      } else {
        this.#unknown.delete(key);
        this.#valid.set(key, { owner, requestedAtMs });
      }
      return owner;
    } finally {
      this.#running.delete(key);
    }
  }
}
