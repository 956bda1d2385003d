import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { ABORT, open, type RootDatabase } from 'lmdb';
import { DiskSpace } from './disk-space.ts';
import type { GroupKey, SpoolTables } from './spool-tables.ts';

/** The name of the data file in the folder of an LMDB environment. */
export const DATA_FILE = 'data.mdb';

const COMMIT_SYNCHRONOUSLY = 2;
/** What a transaction may write besides values: pages of trees, including the trees that it removes from. */
const TREES_BYTES = 1_024 * 1_024;
const REMOVED_BYTES = 5 * 1_024 * 1_024;
const META_PAGES = 2;
/** LMDB stores values up to about this size inside a tree page. */
const INLINE_MAX_BYTES = 2_048;
/** The largest memory page of any supported system. */
const PAGE_BYTES = 16_384;

/** The statistics of a table. The lmdb package does not export a type for them. */
export interface TableStats {
  pageSize: number;
  treeBranchPageCount: number;
  treeLeafPageCount: number;
  overflowPages: number;
}

/** The statistics of an environment. */
export interface EnvironmentStats {
  pageSize: number;
  lastPageNumber: number;
  root: TableStats;
  free: TableStats;
}

/**
 * The LMDB environment of a spool. When a transaction returns, the operating system has its data, so they survive any
 * end of this process. The transaction does not wait for the disk.
 */
export class SpoolEnvironment {
  readonly tables: SpoolTables;
  readonly #root: RootDatabase<string, string>;
  readonly #space: DiskSpace;

  /** Opens the environment in a folder and creates what is missing. */
  constructor(path: string) {
    this.#root = openRoot(path);
    this.tables = {
      groups: this.#root.openDB<string, GroupKey>({ name: 'groups', encoding: 'string' }),
      state: this.#root.openDB<string, string>({ name: 'state', encoding: 'string' }),
      dirty: this.#root.openDB<string, string>({ name: 'dirty', encoding: 'string' }),
      rejected: this.#root.openDB<string, string>({ name: 'rejected', encoding: 'string' }),
      unreadable: this.#root.openDB<string, number>({ name: 'unreadable', encoding: 'string' }),
    };
    this.#space = new DiskSpace(join(path, DATA_FILE));
    this.#space.requireToFree(0, this.#pages());
  }

  /** Adds values of this many bytes in one transaction. If it cannot be committed, it throws and changes nothing. */
  add(bytes: number, action: (tables: SpoolTables) => void): void {
    this.#space.requireToAdd(bytes + TREES_BYTES, this.#pages());
    this.#transaction(action);
  }

  /**
   * Runs a transaction that frees more space than it needs, or prepares one that does. It works even on a full disk.
   */
  free(bytes: number, action: (tables: SpoolTables) => void): void {
    this.#space.requireToFree(bytes + TREES_BYTES + REMOVED_BYTES, this.#pages());
    this.#transaction(action);
  }

  /** Searches the list of free pages for this many bytes. Writes nothing. Throws if the list is damaged. */
  readFreePages(bytes: number): void {
    this.#root.transactionSync(() => {
      const { state } = this.tables;
      state.put('room', 'x'.repeat(bytes));
      // lmdb does not throw if a free page is not found.
      if (state.get('room')?.length !== bytes) throw new Error('the list of free pages is damaged');
      return ABORT;
    }, COMMIT_SYNCHRONOUSLY);
  }

  async close(): Promise<void> {
    // lmdb releases the reads of a turn at the end of that turn. If it is closed after a read and a transaction of the
    // same turn, version 3.5 deadlocks and blocks the whole process.
    await nextTurn();
    this.#space.close();
    await this.#root.close();
  }

  /** Returns the size of all pages of the file in bytes, and the size of those without content. */
  #pages(): { used: number; free: number } {
    const { lastPageNumber, pageSize, root, free } = this.#root.getStats() as EnvironmentStats;
    const tables = Object.values(this.tables).map((table) => table.getStats() as TableStats);
    const inUse = [...tables, root, free].reduce((sum, table) => sum + pagesOf(table), META_PAGES);
    return { used: (lastPageNumber + 1) * pageSize, free: (lastPageNumber + 1 - inUse) * pageSize };
  }

  #transaction(action: (tables: SpoolTables) => void): void {
    // The callback must return nothing: `put` returns a promise, and lmdb would delay the commit to where no error is
    // caught.
    this.#root.transactionSync(() => {
      action(this.tables);
    }, COMMIT_SYNCHRONOUSLY);
  }
}

/** Returns the number of pages of a table. */
export function pagesOf({ treeBranchPageCount, treeLeafPageCount, overflowPages }: TableStats): number {
  return treeBranchPageCount + treeLeafPageCount + overflowPages;
}

/** Opens an LMDB environment without its tables. */
export function openRoot(path: string): RootDatabase<string, string> {
  return open({ path, maxDbs: 5, encoding: 'string', noSync: true });
}

/** Returns the maximum space that a value of this many bytes needs. */
export function spaceOf(bytes: number): number {
  return bytes < INLINE_MAX_BYTES ? 2 * bytes + 256 : bytes + 2 * PAGE_BYTES;
}
