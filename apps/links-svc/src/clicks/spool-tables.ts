import type { Database, RootDatabase } from 'lmdb';

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
   * Under {@link BATCH_KEY}: the bounds of the batch that was cut and not yet acknowledged; under {@link STORED_KEY}: the
   * number of the last group there was.
   */
  state: Database<string, string>;
  /** Marks by link id. */
  dirty: Database<string, string>;
  /** Batches that analytics-svc refused as invalid, by token. */
  rejected: Database<string, string>;
}

export const BATCH_KEY = 'batch';
export const STORED_KEY = 'stored';

/** Opens the tables of an LMDB environment; those that are missing are made. */
export function openTables(root: RootDatabase<string, string>): SpoolTables {
  return {
    groups: root.openDB<string, GroupKey>({ name: 'groups', encoding: 'string' }),
    state: root.openDB<string, string>({ name: 'state', encoding: 'string' }),
    dirty: root.openDB<string, string>({ name: 'dirty', encoding: 'string' }),
    rejected: root.openDB<string, string>({ name: 'rejected', encoding: 'string' }),
  };
}
