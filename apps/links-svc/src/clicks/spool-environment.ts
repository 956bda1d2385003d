import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { ABORT, open, type RootDatabase } from 'lmdb';
import { DiskSpace } from './disk-space.ts';
import type { GroupKey, SpoolTables } from './spool-tables.ts';

/** The file of an LMDB environment within its folder. */
export const DATA_FILE = 'data.mdb';

const COMMIT_SYNCHRONOUSLY = 2;
/** What a transaction may write besides values: pages of trees, also of those that it removes from. */
const TREES_BYTES = 1_024 * 1_024;
const REMOVED_BYTES = 5 * 1_024 * 1_024;
const META_PAGES = 2;
/** The longest value that LMDB keeps within a tree. */
const INLINE_MAX_BYTES = 2_048;
/** The largest page of any system. */
const PAGE_BYTES = 16_384;

/** What lmdb reports of a table; it has no type for it. */
export interface TableStats {
  pageSize: number;
  treeBranchPageCount: number;
  treeLeafPageCount: number;
  overflowPages: number;
}

/** What lmdb reports of an environment. */
export interface EnvironmentStats {
  pageSize: number;
  lastPageNumber: number;
  root: TableStats;
  free: TableStats;
}

/**
 * The LMDB environment of a spool. What is written is in the operating system's hands when a transaction returns, so it
 * outlives this process, however that dies; it does not wait for the disk.
 */
export class SpoolEnvironment {
  readonly tables: SpoolTables;
  readonly #root: RootDatabase<string, string>;
  readonly #space: DiskSpace;

  /** Opens the environment in a folder; what is missing is made. */
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

  /** Adds values of so many bytes in one transaction. Throws if that cannot be committed, and then nothing of it is done. */
  add(bytes: number, action: (tables: SpoolTables) => void): void {
    this.#space.requireToAdd(bytes + TREES_BYTES, this.#pages());
    this.#transaction(action);
  }

  /** As `add`, for what frees more space than it needs, or leads to it: it works on a full disk too. */
  free(bytes: number, action: (tables: SpoolTables) => void): void {
    this.#space.requireToFree(bytes + TREES_BYTES + REMOVED_BYTES, this.#pages());
    this.#transaction(action);
  }

  /** Reads the list of free pages in search of so many bytes, and writes nothing. Throws if the list is damaged. */
  readFreePages(bytes: number): void {
    this.#root.transactionSync(() => {
      const { state } = this.tables;
      state.put('room', 'x'.repeat(bytes));
      // lmdb throws nothing if a free page is not found.
      if (state.get('room')?.length !== bytes) throw new Error('the list of free pages is damaged');
      return ABORT;
    }, COMMIT_SYNCHRONOUSLY);
  }

  async close(): Promise<void> {
    // lmdb ends a turn's reads at its end, and (3.5) deadlocks if it is closed after a read and a transaction of one
    // turn: the whole process would stand still.
    await nextTurn();
    this.#space.close();
    await this.#root.close();
  }

  /** How many bytes of pages the file has, and how many of them have no content. */
  #pages(): { used: number; free: number } {
    const { lastPageNumber, pageSize, root, free } = this.#root.getStats() as EnvironmentStats;
    const tables = Object.values(this.tables).map((table) => table.getStats() as TableStats);
    const inUse = [...tables, root, free].reduce((sum, table) => sum + pagesOf(table), META_PAGES);
    return { used: (lastPageNumber + 1) * pageSize, free: (lastPageNumber + 1 - inUse) * pageSize };
  }

  #transaction(action: (tables: SpoolTables) => void): void {
    // Nothing may be returned: `put` returns a promise, and lmdb would commit after it, where no error can be caught.
    this.#root.transactionSync(() => {
      action(this.tables);
    }, COMMIT_SYNCHRONOUSLY);
  }
}

/** How many pages a table has. */
export function pagesOf({ treeBranchPageCount, treeLeafPageCount, overflowPages }: TableStats): number {
  return treeBranchPageCount + treeLeafPageCount + overflowPages;
}

/** Opens an LMDB environment without its tables. */
export function openRoot(path: string): RootDatabase<string, string> {
  return open({ path, maxDbs: 5, encoding: 'string', noSync: true });
}

/** How much space a value of so many bytes needs at most. */
export function spaceOf(bytes: number): number {
  return bytes < INLINE_MAX_BYTES ? 2 * bytes + 256 : bytes + 2 * PAGE_BYTES;
}
