import type { Database } from 'lmdb';

/**
 * Number of a group in the order of the spool, how many clicks it has and how many bytes: in the key, so that a spool
 * of gigabytes is counted at the start without reading them.
 */
export type GroupKey = [number: number, clicks: number, bytes: number];

/** The tables of the spool's LMDB file. */
export interface SpoolTables {
  /** Groups of clicks: each value is the JSON of an array of rows. */
  groups: Database<string, GroupKey>;
  /**
   * Under {@link BATCH_KEY}: the bounds and the token of the batch that was cut and not yet acknowledged; under
   * {@link STORED_KEY}: the number of the last group there was.
   */
  state: Database<string, string>;
  /** Marks by link id. */
  dirty: Database<string, string>;
  /** Batches that analytics-svc refused as invalid, by token. */
  rejected: Database<string, string>;
  /** When a group was found to be unreadable, by its number. */
  unreadable: Database<string, number>;
}

export const BATCH_KEY = 'batch';
export const STORED_KEY = 'stored';

/** True if a key is one of a group: the keys of a damaged file may be anything. */
export function isGroupKey(key: unknown): key is GroupKey {
  return Array.isArray(key) && key.length === 3 && key.every((part) => Number.isInteger(part) && part >= 0);
}
