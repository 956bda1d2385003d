import type { Action, Plan, Scope } from '@waymark/contract';

/**
 * An account as it is stored. It contains its keys, so that one operation creates or finds the account and its keys.
 */
export interface AccountDocument {
  _id: string;
  username: string;
  /** `username` in lower case. Unique. */
  username_key: string;
  plan: Plan;
  /** At most one key of each scope, at most one that it replaced, and restricted keys. Only hashes are stored. */
  keys: StoredKey[];
  created_at: Date;
  /** The number of its last event. Every change of the account or of one of its links raises it. */
  revision: number;
  /** A random id of its last event. Once a backup was restored, another event may get the same number, but not this id. */
  change_id: string;
  /** A random key of 16 bytes, in hexadecimal, that makes the ids of its events (`event-ids.ts`). */
  events_key: string;
  /** The number of its links by `state` (see `stateOf`). A state without links may be missing. */
  counts: Record<string, number>;
  /** A random id of the last change of which links are hidden, and from whom. */
  hidden_change_id: string;
  /** A random id of its last write. Who knows the account with this id knows it as it is (`known-accounts.ts`). */
  write_id: string;
  /** The time of its last change by the database's clock, missing before the first. The caches of redirects read it. */
  changed_at?: Date;
  /** How often the key of each scope was revoked. */
  revocations: Record<Scope, number>;
  /** How often all sessions of the account were ended. */
  sign_outs: number;
  /** The ids of its passkeys. */
  passkeys: string[];
  /** Its short hosts. */
  hosts: { id: string; host: string }[];
  /** The ids of its webhooks. Missing before the first. */
  webhooks?: string[];
  /** The bytes that the records of `Idempotency-Key`s take, by the scope of the key and the hour since the epoch. */
  idempotency_bytes: Record<Scope, Record<string, number>>;
  /**
   * Set once the deletion of the account has begun. No key, session or change works from then on.
   */
  deleting_at?: Date;
  /** Set once nothing but its id is left of the account, from which replicas learn that it is gone (`forget`). */
  expires_at?: Date;
}

export interface StoredKey {
  scope: Scope;
  /** SHA-256 of the key, in hexadecimal. */
  hash: string;
  /** The last characters of the key. */
  hint: string;
  created_at: Date;
  /** A time at which the key was used (`key-uses.ts`). Missing until then. */
  last_used_at?: Date;
  /** When it stops working. A key without a restriction has it once another one has replaced it. */
  expires_at?: Date;
  /** Only of a restricted key. */
  restriction?: StoredRestriction;
}

/** What a restricted key may do. */
export interface StoredRestriction {
  id: string;
  name: string;
  actions: Action[];
  /** Folded, or null. */
  hashtag: string | null;
}
