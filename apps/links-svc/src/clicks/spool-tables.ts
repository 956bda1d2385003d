import type { Database } from 'lmdb';

/**
 * The number of a group in the order of the spool, its number of clicks and its size in bytes. The counts are part of
 * the key, so that a spool of gigabytes is counted at the start without reading its values.
 */
export type GroupKey = [number: number, clicks: number, bytes: number];

/** The tables of the spool's LMDB file. */
export interface SpoolTables {
  /** Groups of clicks. Each value is a JSON array of rows. */
  groups: Database<string, GroupKey>;
  /**
   * {@link BATCH_KEY}: the bounds and the token of the batch that is not acknowledged yet. {@link STORED_KEY}: the
   * number of the last group that was added.
   */
  state: Database<string, string>;
  /** The marks of dirty links, by link id. */
  dirty: Database<string, string>;
  /** Batches that analytics-svc refused as invalid, by token. */
  rejected: Database<string, string>;
  /** The time at which a group was found to be unreadable, by its number. */
  unreadable: Database<string, number>;
}

export const BATCH_KEY = 'batch';
export const STORED_KEY = 'stored';

/** Returns true if this is the key of a group. A damaged file may contain keys of any kind. */
export function isGroupKey(key: unknown): key is GroupKey {
  return Array.isArray(key) && key.length === 3 && key.every((part) => Number.isInteger(part) && part >= 0);
}
