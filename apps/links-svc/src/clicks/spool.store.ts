import { hash } from 'node:crypto';
import { closeSync, fdatasync, openSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { promisify } from 'node:util';
import { startPeriodicTask } from '@waymark/service-kit';
import type { Logger } from 'pino';
import type { Click } from './click.ts';
import { clicksOf } from './click-row.ts';
import { DamagedFile } from './spool-errors.ts';

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

/** A place between two clicks: the number of the second, and the size of all clicks before it. */
interface Position {
  number: number;
  sizeBefore: number;
}

/** A link with new clicks since its total was written. `mark` changes whenever more clicks follow. */
export interface DirtyLink {
  linkId: string;
  mark: number;
}

/** Clicks that were written together. */
interface Group {
  /** The number of the first click. */
  first: number;
  /** The number of the last click. */
  last: number;
  /** The size in bytes. */
  size: number;
  clicks: string;
}

export const DATABASE_FILE = 'clicks.db';
/** SQLite writes transactions here first. */
export const LOG_FILE = 'clicks.db-wal';

/**
 * `clicks` has groups of them in their order, with the numbers of their first and last click and the size of all clicks up
 * to each group. So the sizes of a spool of gigabytes are known without reading it. `batch` has one row: the end of the
 * batch that is not acknowledged yet.
 */
export const SCHEMA = `
  PRAGMA journal_mode = WAL;
  CREATE TABLE IF NOT EXISTS clicks
    (last INTEGER PRIMARY KEY, first INTEGER NOT NULL, size_so_far INTEGER NOT NULL, clicks TEXT NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS batch (last INTEGER NOT NULL, token TEXT NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS dirty_links (link_id TEXT PRIMARY KEY, mark INTEGER NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS rejected
    (clicks TEXT NOT NULL, batch TEXT NOT NULL, reason TEXT NOT NULL, rejected_at TEXT NOT NULL) STRICT;
`;

/** A group is cheaper than its clicks one by one. It fits into a page of the file, so that damage takes few with it. */
const GROUP_MAX_BYTES = 3_584;

/** Well below the 8 MiB limit of a gRPC message. */
const BATCH_MAX_BYTES = 4 * 1_024 * 1_024;
/** To check a file takes a second for each gigabyte. Damage of a larger one is found when it is read. */
const CHECK_MAX_BYTES = 1_024 * 1_024 * 1_024;
/** A power cut may lose the clicks of this time. */
const SYNC_EVERY_MS = 1_000;

const sync = promisify(fdatasync);

/**
 * The SQLite database of a spool. When a method returns, the operating system has its data, so they survive a kill of
 * the process. SQLite waits for the disk only when it copies its log to its file, so a power cut damages neither. The log
 * is synced every second, off the event loop, so a power cut may lose the last second.
 */
export class SpoolStore {
  readonly #database: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();
  readonly #stopSyncing: () => Promise<void>;
  /** Before the first click. */
  #front: Position;
  /** Behind the last click. */
  #end: Position;
  #rejectedBytes: number;

  /**
   * Opens the database in a directory that this process owns, and creates what is missing. Throws if it is damaged. New
   * clicks get numbers from `firstNumber`.
   */
  constructor(directory: string, logger: Logger, firstNumber = 1) {
    const path = join(directory, DATABASE_FILE);
    const size = statSync(path, { throwIfNoEntry: false })?.size;
    // SQLite takes an empty file for a new database, and deletes its log.
    if (size === 0) throw new DamagedFile('the file is empty');
    this.#database = new DatabaseSync(path);
    try {
      this.#database.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA synchronous = NORMAL');
      if (size !== undefined && size <= CHECK_MAX_BYTES) this.#check();
      this.#database.exec(SCHEMA);
      const { last, sizeBefore } = this.#sql(`
        SELECT max(coalesce(max(last), 0), (SELECT coalesce(max(last), 0) FROM batch)) AS last,
          coalesce(max(size_so_far), 0) AS sizeBefore
        FROM (SELECT last, size_so_far FROM clicks ORDER BY last DESC LIMIT 1)`).get() as Record<string, number>;
      this.#end = { number: Math.max(firstNumber, last! + 1), sizeBefore: sizeBefore! };
      this.#front = this.#findFront();
      this.#rejectedBytes = this.#countRejected();
    } catch (error) {
      this.#database.close();
      throw error;
    }
    this.#stopSyncing = startSyncing(join(directory, LOG_FILE), logger);
  }

  /** Returns the number of clicks that are not acknowledged yet. */
  get clicks(): number {
    return this.#end.number - this.#front.number;
  }

  /** Returns the size of the clicks in bytes, including those that were rejected. */
  get bytes(): number {
    return this.#end.sizeBefore - this.#front.sizeBefore + this.#rejectedBytes;
  }

  get nextNumber(): number {
    return this.#end.number;
  }

  /** Adds the rows of clicks in one transaction. Throws and changes nothing if the disk is full. */
  append(rows: readonly string[]): void {
    let { number, sizeBefore } = this.#end;
    const insert = this.#sql('INSERT INTO clicks (last, first, size_so_far, clicks) VALUES (?, ?, ?, ?)');
    this.#transaction(() => {
      for (const group of inGroups(rows)) {
        const clicks = `[${group.join(',')}]`;
        sizeBefore += Buffer.byteLength(clicks);
        insert.run(number + group.length - 1, number, sizeBefore, clicks);
        number += group.length;
      }
    });
    this.#end = { number, sizeBefore };
  }

  /**
   * Returns the current batch if it is neither acknowledged nor rejected. Otherwise records and returns a new one of at
   * most `maxClicks`, and of at least one group. Returns null if no click is waiting. Throws if the file is damaged.
   */
  nextBatch(maxClicks: number): ClickBatch | null {
    const record = this.#sql('SELECT last, token FROM batch').get() as { last: number; token: string } | undefined;
    const groups = record === undefined ? this.#firstGroups(maxClicks) : this.#upTo(record.last);
    const clicks = groups.flatMap(readClicks);
    if (clicks.length === 0) return null;
    const { last, token } = record ?? { last: groups.at(-1)!.last, token: tokenOf(clicks) };
    if (record === undefined)
      this.#transaction(() => this.#sql('INSERT INTO batch (last, token) VALUES (?, ?)').run(last, token));
    return { token, clicks, maybeStored: record !== undefined, last };
  }

  /** Removes a batch, and marks its links as dirty in the same transaction. */
  acknowledge({ last, clicks }: ClickBatch): void {
    const linkIds = JSON.stringify([...new Set(clicks.map(({ linkId }) => linkId))]);
    // One statement for all links is much faster than one for each. SQLite needs `WHERE` to parse the conflict clause.
    this.#removeBatch(last, () =>
      this.#sql(`
        INSERT INTO dirty_links (link_id, mark) SELECT value, 1 FROM json_each(?) WHERE true
        ON CONFLICT DO UPDATE SET mark = mark + 1`).run(linkIds),
    );
  }

  /** Moves a batch to the rejected clicks, which are kept for inspection and never sent again. */
  reject({ last, token }: ClickBatch, reason: string): void {
    const rejectedAt = new Date().toISOString();
    this.#removeBatch(last, () =>
      this.#sql(`
        INSERT INTO rejected (clicks, batch, reason, rejected_at)
        SELECT clicks, ?, ?, ? FROM clicks WHERE last <= ?`).run(token, reason, rejectedAt, last),
    );
    this.#rejectedBytes = this.#countRejected();
  }

  /** Returns the first `limit` dirty links after this id, in the order of their ids. */
  dirtyLinks(limit: number, after = ''): DirtyLink[] {
    return this.#sql(`
      SELECT link_id AS linkId, mark FROM dirty_links WHERE link_id > ? ORDER BY link_id LIMIT ?
    `).all(after, limit) as unknown as DirtyLink[];
  }

  /** Clears links whose totals are up to date, except links that got new clicks after they were read. */
  clearDirty(links: readonly DirtyLink[]): void {
    this.#transaction(() => {
      for (const { linkId, mark } of links)
        this.#sql('DELETE FROM dirty_links WHERE link_id = ? AND mark = ?').run(linkId, mark);
    });
  }

  /** Returns the first click, or null if there is none. */
  first(): Click | null {
    return this.#firstGroups(1).flatMap(readClicks)[0] ?? null;
  }

  async close(): Promise<void> {
    this.#database.close();
    await this.#stopSyncing();
  }

  /** Returns the groups for a new batch. */
  #firstGroups(maxClicks: number): Group[] {
    return this.#sql(`
      SELECT first, last, octet_length(clicks) AS size, clicks FROM clicks
      WHERE last <= max(?, (SELECT min(last) FROM clicks)) AND size_so_far <= ? ORDER BY last
    `).all(this.#front.number + maxClicks - 1, this.#front.sizeBefore + BATCH_MAX_BYTES) as unknown as Group[];
  }

  #upTo(last: number): Group[] {
    return this.#sql(`
      SELECT first, last, octet_length(clicks) AS size, clicks FROM clicks WHERE last <= ? ORDER BY last
    `).all(last) as unknown as Group[];
  }

  /** Removes the clicks of a batch, after `action` in the same transaction. */
  #removeBatch(last: number, action: () => void): void {
    this.#transaction(() => {
      action();
      this.#sql('DELETE FROM clicks WHERE last <= ?').run(last);
      this.#sql('DELETE FROM batch').run();
    });
    this.#front = this.#findFront();
  }

  #check(): void {
    const { quick_check: found } = this.#sql('PRAGMA quick_check(1)').get()!;
    if (found !== 'ok') throw new DamagedFile(String(found));
  }

  #findFront(): Position {
    const front = this.#sql(`
      SELECT first AS number, size_so_far - octet_length(clicks) AS sizeBefore FROM clicks ORDER BY last LIMIT 1`).get();
    return (front as unknown as Position | undefined) ?? this.#end;
  }

  #countRejected(): number {
    return Number(this.#sql('SELECT coalesce(sum(octet_length(clicks)), 0) AS bytes FROM rejected').get()!.bytes);
  }

  /** Returns a statement, which is prepared once. */
  #sql(text: string): StatementSync {
    let statement = this.#statements.get(text);
    if (statement === undefined) {
      statement = this.#database.prepare(text);
      this.#statements.set(text, statement);
    }
    return statement;
  }

  #transaction(action: () => void): void {
    this.#sql('BEGIN').run();
    try {
      action();
      this.#sql('COMMIT').run();
    } catch (error) {
      // SQLite has already done so after some errors.
      if (this.#database.isTransaction) this.#sql('ROLLBACK').run();
      throw error;
    }
  }
}

/** Divides rows of clicks into groups, of one row if that is too long for a group. */
function* inGroups(rows: readonly string[]): Generator<string[]> {
  let group: string[] = [];
  let bytes = 0;
  for (const row of rows) {
    const rowBytes = Buffer.byteLength(row);
    if (group.length > 0 && bytes + rowBytes > GROUP_MAX_BYTES) {
      yield group;
      group = [];
      bytes = 0;
    }
    group.push(row);
    bytes += rowBytes;
  }
  yield group;
}

/** Returns the clicks of a group. Throws if it is damaged. */
function readClicks({ first, last, size, clicks }: Group): Click[] {
  // Invalid UTF-8 changes the size: each bad byte is decoded to a character of three bytes.
  const found = Buffer.byteLength(clicks) === size ? clicksOf(clicks) : null;
  if (found?.length !== last - first + 1) throw new DamagedFile(`the clicks up to number ${last} cannot be read`);
  return found;
}

function tokenOf(clicks: readonly Click[]): string {
  return hash('sha256', clicks.map(({ id }) => id).join('')).slice(0, 32);
}

/** Syncs a file to the disk every second. Returns a function that stops this. */
function startSyncing(path: string, logger: Logger): () => Promise<void> {
  const file = openSync(path, 'r+');
  const task = startPeriodicTask({
    everyMs: SYNC_EVERY_MS,
    work: () => sync(file),
    onError: (err) => logger.error({ err }, 'the click spool could not be synced to the disk'),
  });
  return async () => {
    await task.close();
    closeSync(file);
  };
}
