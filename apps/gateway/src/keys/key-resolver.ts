import type { Plan, Scope } from '@waymark/contract';
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

/** Finds the owners of keys and sessions, from a cache if possible. */
export interface KeyResolver {
  /** Returns the owner, at most {@link KEY_TTL_MS} old; null if unknown or revoked. Rejects if the lookup does. */
  resolve(credential: Credential, requestId: string): Promise<KeyOwner | null>;
  /** Returns true if the last successful lookup of the key found an owner, even if that result has expired. */
  wasValid(credential: Credential): boolean;
}

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
 * Creates a cache in front of the lookup. Concurrent requests with the same key share one lookup. Unknown keys have a
 * cache of their own, so that a flood of them cannot evict valid keys. Failed lookups are not cached.
 */
export function createKeyResolver(lookup: KeyLookup, now: () => number = () => performance.now()): KeyResolver {
  const valid = new LRUCache<string, Answer>({ max: VALID_KEYS_MAX });
  const unknown = new LRUCache<string, number>({ max: UNKNOWN_KEYS_MAX });
  const running = new Map<string, Promise<KeyOwner | null>>();

  async function lookUp(key: string, credential: Credential, requestId: string): Promise<KeyOwner | null> {
    const requestedAtMs = now();
    try {
      const owner = await lookup(credential, requestId);
      if (owner === null) {
        valid.delete(key);
        unknown.set(key, requestedAtMs);
      } else {
        unknown.delete(key);
        valid.set(key, { owner, requestedAtMs });
      }
      return owner;
    } finally {
      running.delete(key);
    }
  }

  return {
    async resolve(credential, requestId) {
      const key = credential.hash.toString('latin1');
      const isFresh = (requestedAtMs: number) => now() - requestedAtMs < KEY_TTL_MS;
      const known = valid.get(key);
      if (known !== undefined && isFresh(known.requestedAtMs)) return known.owner;
      const unknownSince = unknown.get(key);
      if (unknownSince !== undefined && isFresh(unknownSince)) return null;
      let answer = running.get(key);
      if (answer === undefined) {
        answer = lookUp(key, credential, requestId);
        running.set(key, answer);
      }
      return answer;
    },
    wasValid: ({ hash }) => valid.has(hash.toString('latin1')),
  };
}
