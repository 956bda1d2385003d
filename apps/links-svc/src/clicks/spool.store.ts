import { hash } from 'node:crypto';
import { closeSync, fdatasync, fdatasyncSync, openSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { promisify } from 'node:util';
import { startPeriodicTask } from '@waymark/service-kit';
import type { Logger } from 'pino';
import type { Click } from './click.ts';
import { clickOfRow } from './click-row.ts';
import { DiskReserve } from './disk-reserve.ts';
import { DamagedFile, isDiskFull } from './spool-errors.ts';

/** A batch of clicks. It stays the same until it is acknowledged or rejected, even after a crash. */
export interface ClickBatch {
  /** Derived from the ids of the clicks in their order: the same batch always has the same token. */
  token: string;
  clicks: Click[];
  /** True if this or an earlier process returned the batch before. It may have been sent then. */
  maybeStored: boolean;
  /** The number of its last click in the spool. */
  last: number;
}

/** A link with new clicks since its total was written. `mark` changes whenever more clicks follow. */
export interface DirtyLink {
  linkId: string;
  mark: number;
}

interface StoredClick {
  number: number;
  /** The size in bytes. */
  size: number;
  click: string;
}

export const DATABASE_FILE = 'clicks.db';
/** SQLite writes transactions here first. */
export const LOG_FILE = 'clicks.db-wal';

/**
 * The clicks in their order, the batch that is not acknowledged yet, links with new clicks, and clicks that were
 * refused or cannot be read.
 */
export const SCHEMA = `
  PRAGMA journal_mode = WAL;
  CREATE TABLE IF NOT EXISTS clicks (number INTEGER PRIMARY KEY, click TEXT NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS batch (last INTEGER NOT NULL, token TEXT NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS dirty_links (link_id TEXT PRIMARY KEY, mark INTEGER NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS rejected
    (click TEXT NOT NULL, batch TEXT NOT NULL, reason TEXT NOT NULL, rejected_at TEXT NOT NULL) STRICT;
`;

/** Well below the 8 MiB limit of a gRPC message. */
const BATCH_MAX_BYTES = 4 * 1_024 * 1_024;
/** The space within the file that new clicks need if the file must not grow. It is more than one transaction adds. */
const FREE_MIN_BYTES = 1_024 * 1_024;
/** Limits the loss if the whole machine fails, and not only the process. */
const SYNC_EVERY_MS = 1_000;

const sync = promisify(fdatasync);

/**
 * The SQLite database of a spool. When a method returns, the operating system has its data, so they survive any end of
 * this process. Nothing waits for the disk: the files are synced every second, off the event loop.
 */
export class SpoolStore {
  readonly #database: DatabaseSync;
  readonly #sql: ReturnType<typeof prepareStatements>;
  readonly #reserve: DiskReserve;
  readonly #stopSyncing: () => Promise<void>;
  #nextNumber: number;
  #clicks: number;
  #clickBytes: number;
  #rejectedBytes: number;

  /**
   * Opens the database in a directory that this process owns, and creates what is missing. Throws if it is damaged. New
   * clicks get numbers from `firstNumber`.
   */
  constructor(directory: string, logger: Logger, firstNumber = 1) {
    const path = join(directory, DATABASE_FILE);
    // SQLite takes an empty file for a new database, and deletes its log.
    if (statSync(path, { throwIfNoEntry: false })?.size === 0) throw new DamagedFile('the file is empty');
    this.#database = new DatabaseSync(path);
    try {
      this.#database.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA synchronous = OFF');
      const { quick_check: found } = this.#database.prepare('PRAGMA quick_check(1)').get()!;
      if (found !== 'ok') throw new DamagedFile(String(found));
      this.#database.exec(SCHEMA);
      this.#sql = prepareStatements(this.#database);
      const { clicks, bytes, rejected, last } = this.#sql.count.get() as Record<string, number>;
      this.#clicks = clicks!;
      this.#clickBytes = bytes!;
      this.#rejectedBytes = rejected!;
      this.#nextNumber = Math.max(firstNumber, last! + 1);
      this.#reserve = new DiskReserve(directory);
    } catch (error) {
      this.#database.close();
      throw error;
    }
    this.#stopSyncing = startSyncing([path, join(directory, LOG_FILE)], this.#reserve, logger);
  }

  /** Returns the number of clicks that are not acknowledged yet. */
  get clicks(): number {
    return this.#clicks;
  }

  /** Returns the size of the clicks in bytes, including those that were rejected. */
  get bytes(): number {
    return this.#clickBytes + this.#rejectedBytes;
  }

  get nextNumber(): number {
    return this.#nextNumber;
  }

  /** Adds rows in one transaction. Throws and changes nothing if the disk is full. */
  append(rows: readonly string[]): void {
    if (!this.#reserve.isWhole && this.#freeBytes() < FREE_MIN_BYTES)
      throw new Error('The disk of the click spool is full.');
    let number = this.#nextNumber;
    let bytes = 0;
    this.#transaction(() => {
      for (const row of rows) {
        this.#sql.insertClick.run(number, row);
        number += 1;
        bytes += Buffer.byteLength(row);
      }
    });
    this.#nextNumber = number;
    this.#clicks += rows.length;
    this.#clickBytes += bytes;
  }

  /**
   * Returns the current batch if it is neither acknowledged nor rejected. Otherwise records and returns a new one of at
   * most `maxClicks`. Returns null if there is none. `unreadable` is the number of clicks that were rejected because
   * they cannot be read.
   */
  nextBatch(maxClicks: number): { batch: ClickBatch | null; unreadable: number } {
    const record = this.#sql.batch.get() as { last: number; token: string } | undefined;
    const rows = record === undefined ? this.#front(maxClicks) : this.#upTo(record.last);
    const clicks = rows.map(readClick);
    const unreadable = rows.filter((_row, index) => clicks[index] === null);
    const readable = clicks.filter((click) => click !== null);
    // The rest of a batch that may have been sent keeps its token, so that its clicks do not count twice.
    const token = record?.token ?? tokenOf(readable);
    const last = record?.last ?? rows.at(-1)?.number ?? 0;
    if (unreadable.length > 0) this.#rejectUnreadable(unreadable, token);
    if (readable.length === 0) {
      if (record !== undefined) this.#free(() => this.#sql.deleteBatch.run());
      return { batch: null, unreadable: unreadable.length };
    }
    if (record === undefined) this.#free(() => this.#sql.insertBatch.run(last, token));
    const batch = { token, clicks: readable, maybeStored: record !== undefined, last };
    return { batch, unreadable: unreadable.length };
  }

  /** Removes a batch, and marks its links as dirty in the same transaction. */
  acknowledge({ last, clicks }: ClickBatch): void {
    const linkIds = new Set(clicks.map(({ linkId }) => linkId));
    this.#removeBatch(last, () => {
      for (const linkId of linkIds) this.#sql.markDirty.run(linkId);
    });
  }

  /** Moves a batch to the rejected clicks, which are kept for inspection and never sent again. */
  reject({ last, token }: ClickBatch, reason: string): void {
    const rejectedAt = new Date().toISOString();
    this.#rejectedBytes += this.#removeBatch(last, () => this.#sql.rejectUpTo.run(token, reason, rejectedAt, last));
  }

  /** Returns at most `limit` dirty links. */
  dirtyLinks(limit: number): DirtyLink[] {
    return this.#sql.dirtyLinks.all(limit) as unknown as DirtyLink[];
  }

  /** Clears links whose totals are up to date, except links that got new clicks after they were read. */
  clearDirty(links: readonly DirtyLink[]): void {
    this.#free(() => {
      for (const { linkId, mark } of links) this.#sql.clearDirty.run(linkId, mark);
    });
  }

  /** Returns the first click, or null if there is none or it cannot be read. */
  first(): Click | null {
    return this.#front(1).map(readClick)[0] ?? null;
  }

  async close(): Promise<void> {
    this.#database.close();
    await this.#stopSyncing();
  }

  /** Returns the clicks for a new batch. */
  #front(maxClicks: number): StoredClick[] {
    const rows: StoredClick[] = [];
    let bytes = 0;
    for (const row of this.#sql.clicks.iterate(maxClicks) as Iterable<unknown> as Iterable<StoredClick>) {
      bytes += row.size;
      if (rows.length > 0 && bytes > BATCH_MAX_BYTES) break;
      rows.push(row);
    }
    return rows;
  }

  #upTo(last: number): StoredClick[] {
    return this.#sql.clicksUpTo.all(last) as unknown as StoredClick[];
  }

  #rejectUnreadable(rows: readonly StoredClick[], token: string): void {
    const rejectedAt = new Date().toISOString();
    this.#free(() => {
      for (const { number, click } of rows) {
        this.#sql.insertRejected.run(click, token, 'unreadable', rejectedAt);
        this.#sql.deleteClick.run(number);
      }
    });
    this.#clicks -= rows.length;
    for (const { size, click } of rows) {
      this.#clickBytes -= size;
      this.#rejectedBytes += Buffer.byteLength(click);
    }
  }

  /** Removes the clicks of a batch, after `action` in the same transaction. Returns their size in bytes. */
  #removeBatch(last: number, action: () => void): number {
    const { clicks, bytes } = this.#sql.countUpTo.get(last) as { clicks: number; bytes: number };
    this.#free(() => {
      action();
      this.#sql.deleteUpTo.run(last);
      this.#sql.deleteBatch.run();
    });
    this.#clicks -= clicks;
    this.#clickBytes -= bytes;
    return bytes;
  }

  /** Returns the space within the file that has no content. */
  #freeBytes(): number {
    const { freelist_count: pages } = this.#sql.freePages.get() as { freelist_count: number };
    const { page_size: bytes } = this.#sql.pageSize.get() as { page_size: number };
    return pages * bytes;
  }

  /** Runs a transaction that frees space, or prepares one that does. On a full disk it uses the reserve. */
  #free(action: () => void): void {
    try {
      this.#transaction(action);
    } catch (error) {
      if (!isDiskFull(error)) throw error;
      this.#reserve.release();
      // Copies the log to the file, so that the transaction can overwrite the log.
      this.#database.exec('PRAGMA wal_checkpoint');
      this.#transaction(action);
    }
  }

  #transaction(action: () => void): void {
    this.#sql.begin.run();
    try {
      action();
      this.#sql.commit.run();
    } catch (error) {
      // SQLite has already done so after some errors.
      if (this.#database.isTransaction) this.#sql.rollback.run();
      throw error;
    }
  }
}

function prepareStatements(database: DatabaseSync) {
  return {
    begin: database.prepare('BEGIN'),
    commit: database.prepare('COMMIT'),
    rollback: database.prepare('ROLLBACK'),
    count: database.prepare(`
      SELECT count(*) AS clicks, coalesce(sum(octet_length(click)), 0) AS bytes,
        (SELECT coalesce(sum(octet_length(click)), 0) FROM rejected) AS rejected,
        max(coalesce(max(number), 0), (SELECT coalesce(max(last), 0) FROM batch)) AS last
      FROM clicks`),
    freePages: database.prepare('PRAGMA freelist_count'),
    pageSize: database.prepare('PRAGMA page_size'),
    insertClick: database.prepare('INSERT INTO clicks (number, click) VALUES (?, ?)'),
    clicks: database.prepare('SELECT number, octet_length(click) AS size, click FROM clicks ORDER BY number LIMIT ?'),
    clicksUpTo: database.prepare(
      'SELECT number, octet_length(click) AS size, click FROM clicks WHERE number <= ? ORDER BY number',
    ),
    countUpTo: database.prepare(
      'SELECT count(*) AS clicks, coalesce(sum(octet_length(click)), 0) AS bytes FROM clicks WHERE number <= ?',
    ),
    deleteUpTo: database.prepare('DELETE FROM clicks WHERE number <= ?'),
    deleteClick: database.prepare('DELETE FROM clicks WHERE number = ?'),
    batch: database.prepare('SELECT last, token FROM batch'),
    insertBatch: database.prepare('INSERT INTO batch (last, token) VALUES (?, ?)'),
    deleteBatch: database.prepare('DELETE FROM batch'),
    rejectUpTo: database.prepare(`
      INSERT INTO rejected (click, batch, reason, rejected_at) SELECT click, ?, ?, ? FROM clicks WHERE number <= ?`),
    insertRejected: database.prepare('INSERT INTO rejected (click, batch, reason, rejected_at) VALUES (?, ?, ?, ?)'),
    dirtyLinks: database.prepare('SELECT link_id AS linkId, mark FROM dirty_links LIMIT ?'),
    markDirty: database.prepare(
      'INSERT INTO dirty_links (link_id, mark) VALUES (?, 1) ON CONFLICT DO UPDATE SET mark = mark + 1',
    ),
    clearDirty: database.prepare('DELETE FROM dirty_links WHERE link_id = ? AND mark = ?'),
  };
}

function readClick({ size, click }: StoredClick): Click | null {
  // Invalid UTF-8 changes the size: each bad byte is decoded to a character of three bytes.
  return Buffer.byteLength(click) === size ? clickOfRow(click) : null;
}

function tokenOf(clicks: readonly Click[]): string {
  return hash('sha256', clicks.map(({ id }) => id).join('')).slice(0, 32);
}

/**
 * Syncs files to the disk every second and restores the reserve. Returns a function that stops this and syncs once
 * more. Call it after SQLite has closed the files: closing them here would release SQLite's locks.
 */
function startSyncing(paths: string[], reserve: DiskReserve, logger: Logger): () => Promise<void> {
  const files = paths.map((path) => openSync(path, 'r+'));
  const task = startPeriodicTask({
    everyMs: SYNC_EVERY_MS,
    work: async () => {
      await Promise.all(files.map((file) => sync(file)));
      reserve.restore();
    },
    onError: (err) => logger.error({ err }, 'the click spool could not be synced to the disk'),
  });
  return async () => {
    await task.close();
    for (const file of files) {
      fdatasyncSync(file);
      closeSync(file);
    }
  };
}
