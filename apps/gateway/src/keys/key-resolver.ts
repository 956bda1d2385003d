import type { Plan, Scope } from '@waymark/contract';
import { LRUCache } from 'lru-cache';

/** What a valid key stands for. */
export interface KeyOwner {
  accountId: string;
  username: string;
  plan: Plan;
  scope: Scope;
}

/** Asks for the owner of a key's hash; null where no key has it. Rejects where that cannot be known right now. */
export type KeyLookup = (hash: Buffer, requestId: string) => Promise<KeyOwner | null>;

/** Knows the owners of keys. */
export interface KeyResolver {
  /** The owner, at most {@link KEY_TTL_MS} old; null for an unknown or revoked key. Rejects as the lookup does. */
  resolve(hash: Buffer, requestId: string): Promise<KeyOwner | null>;
  /** True where the last lookup of the key found an owner, however long ago. */
  wasValid(hash: Buffer): boolean;
}

/** How long an answer is believed: a revoked key must stop within 5 seconds, of which a lookup may take one. */
export const KEY_TTL_MS = 2000;
const VALID_KEYS_MAX = 50_000;
const UNKNOWN_KEYS_MAX = 10_000;

interface Answer {
  owner: KeyOwner;
  /** When the lookup was sent: what happened later may be missing in it. */
  askedAtMs: number;
}

/**
 * A cache in front of the lookup: one lookup at a time for a key, however many ask. Unknown keys are remembered apart,
 * so that a flood of them never displaces a valid one. Failed lookups are not remembered.
 */
export function createKeyResolver(lookup: KeyLookup, now: () => number = () => performance.now()): KeyResolver {
  const valid = new LRUCache<string, Answer>({ max: VALID_KEYS_MAX });
  const unknown = new LRUCache<string, number>({ max: UNKNOWN_KEYS_MAX });
  const running = new Map<string, Promise<KeyOwner | null>>();

  async function ask(key: string, hash: Buffer, requestId: string): Promise<KeyOwner | null> {
    const askedAtMs = now();
    try {
      const owner = await lookup(hash, requestId);
      if (owner === null) {
        valid.delete(key);
        unknown.set(key, askedAtMs);
      } else {
        unknown.delete(key);
        valid.set(key, { owner, askedAtMs });
      }
      return owner;
    } finally {
      running.delete(key);
    }
  }

  return {
    async resolve(hash, requestId) {
      const key = hash.toString('latin1');
      const isFresh = (askedAtMs: number) => now() - askedAtMs < KEY_TTL_MS;
      const known = valid.get(key);
      if (known !== undefined && isFresh(known.askedAtMs)) return known.owner;
      const unknownSince = unknown.get(key);
      if (unknownSince !== undefined && isFresh(unknownSince)) return null;
      let answer = running.get(key);
      if (answer === undefined) {
        answer = ask(key, hash, requestId);
        running.set(key, answer);
      }
      return answer;
    },
    wasValid: (hash) => valid.has(hash.toString('latin1')),
  };
}
