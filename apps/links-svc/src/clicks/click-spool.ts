import { hash } from 'node:crypto';
import { copyFileSync, mkdirSync } from 'node:fs';
import type { Database } from 'lmdb';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import type { Click } from './click.ts';
import type { ClickJournal } from './click-journal.ts';
import { type ClickMetrics, createClickMetrics, type DropReason } from './click-metrics.ts';
import { type ClickRow, clickOfRow, rowOf } from './click-row.ts';
import { OutageLog } from './outage-log.ts';
import { openSpoolFile, type SpoolFile } from './spool-file.ts';
import { lockDirectory } from './spool-lock.ts';

export interface ClickSpoolOptions {
  /** How many bytes of clicks are kept; beyond it redirects go on and their clicks are dropped, loudly. */
  maxBytes: number;
  logger: Logger;
  registry: Registry;
}

/** A contiguous run of the spool, which stays the same until it is acknowledged or rejected, also after a crash. */
export interface ClickBatch {
  /** Made from the ids of the clicks in their order: the same for the same batch. */
  token: string;
  clicks: Click[];
  /** True where the batch was given before, by this process or an earlier one, so that it may have been sent. */
  maybeSent: boolean;
  /** Where it lies in the spool. */
  groups: GroupKey[];
}

/**
 * Number of a group in the order of the spool, how many clicks it has and how many bytes: in the key, so that a spool
 * of gigabytes is counted at the start without reading them.
 */
export type GroupKey = [number: number, clicks: number, bytes: number];

/** A link whose clicks grew. `mark` tells whether they grew again since. */
export interface DirtyLink {
  linkId: string;
  mark: number;
}

/** A group that is this long is stored at the end of the turn, whether the sender asks for it or not. */
const GROUP_MAX_LENGTH = 256 * 1_024;
/** Well below the 8 MiB that a gRPC message may have. */
const BATCH_MAX_BYTES = 4 * 1_024 * 1_024;
const LOG_DROPS_EVERY_MS = 10_000;

const COMMIT_SYNCHRONOUSLY = 2;
const BATCH_KEY = 'batch';
const STORED_KEY = 'stored';

/** Rows of clicks, as JSON, and how many characters they have. */
interface Rows {
  rows: string[];
  length: number;
}

/** The clicks of this turn of the event loop, which are to be written. */
interface Turn extends Rows {
  written: Promise<boolean>;
  resolve: (written: boolean) => void;
}

/**
 * Opens the spool in a directory, which is made where it is missing and belongs to this process until `close`. Every
 * click that was acknowledged to an earlier owner of the directory, however it ended, is in it. Throws when another
 * process owns the directory.
 */
export function openClickSpool(directory: string, options: ClickSpoolOptions): ClickSpool {
  mkdirSync(directory, { recursive: true });
  const unlock = lockDirectory(directory);
  try {
    return new ClickSpool(openSpoolFile(directory, options.logger, readAll), unlock, options);
  } catch (error) {
    unlock();
    throw error;
  }
}

/**
 * Clicks on their way to analytics-svc, on the local disk: appended by redirects, taken from the front by one sender.
 * Acknowledging a batch and marking its links as dirty is one transaction, as is everything else that belongs together.
 */
export class ClickSpool {
  readonly metrics: ClickMetrics;
  readonly #file: SpoolFile;
  readonly #unlock: () => void;
  readonly #maxBytes: number;
  readonly #logger: Logger;
  readonly #journal: ClickJournal;
  readonly #storing: OutageLog;
  /** Groups of clicks: each value is the JSON of an array of rows. */
  readonly #groups: Database<string, GroupKey>;
  /**
   * Under `batch`: the bounds of the batch that was cut and not yet acknowledged; under `stored`: the number of the last
   * group there was.
   */
  readonly #state: Database<string, string>;
  /** Marks by link id. */
  readonly #dirty: Database<string, string>;
  /** Batches that analytics-svc refused as invalid, by token. */
  readonly #rejected: Database<string, string>;
  #nextNumber: number;
  #depth = 0;
  #bytes = 0;
  #turn: Turn | null = null;
  /** What is in the journal and in no group yet; the group to come has the next number. */
  #journaled: Rows = { rows: [], length: 0 };
  #onAppend: () => void = () => {};
  #droppedSinceLog = 0;
  #logDropsAfter = 0;
  #closed = false;

  constructor(file: SpoolFile, unlock: () => void, options: ClickSpoolOptions) {
    this.#file = file;
    this.#unlock = unlock;
    this.#maxBytes = options.maxBytes;
    this.#logger = options.logger;
    ({ groups: this.#groups, state: this.#state, dirty: this.#dirty, rejected: this.#rejected } = tables(file.root));
    this.#journal = file.journal;
    this.#storing = new OutageLog(options.logger, 'moving clicks from the journal of the spool');
    for (const [, clicks, bytes] of this.#groups.getKeys()) {
      this.#depth += clicks;
      this.#bytes += bytes;
    }
    for (const { value } of this.#rejected.getRange()) this.#bytes += Buffer.byteLength(value);
    // Also where no group is left: a mark of a dirty link is the number of a group, and must not come again.
    this.#nextNumber = Number(this.#state.get(STORED_KEY) ?? 0) + 1;
    this.#replay();
    this.metrics = createClickMetrics(options.registry, this);
    if (this.#depth > 0) this.#logger.info({ clicks: this.#depth }, 'clicks of an earlier run are in the spool');
  }

  /**
   * Resolves once the click outlives this process: true, or false when it was dropped because the spool is full or
   * cannot be written, which the log and the metrics tell. All clicks of one turn of the event loop are one write.
   */
  append(click: Click): Promise<boolean> {
    const row = JSON.stringify(rowOf(click));
    if (this.#closed) return this.#drop('write_failed', 1);
    if (this.#bytes + (this.#turn?.length ?? 0) + row.length > this.#maxBytes) return this.#drop('spool_full', 1);
    if (this.#turn === null) {
      this.#turn = newTurn();
      setImmediate(() => this.#write());
    }
    const turn = this.#turn;
    turn.rows.push(row);
    turn.length += row.length + 1;
    return turn.written;
  }

  /**
   * The batch at the front: the one that was given last if it is still neither acknowledged nor rejected, else a new
   * one of at most `maxClicks` (or one group, if that is longer), whose bounds are on record before this returns. Null
   * when there is nothing to send.
   */
  nextBatch(maxClicks: number): ClickBatch | null {
    const record = this.#state.get(BATCH_KEY);
    if (record === undefined) this.#store(maxClicks);
    const groups = record === undefined ? this.#cutBatch(maxClicks) : this.#recordedBatch(record);
    if (groups.length === 0) return null;
    const clicks = groups.flatMap((key) => this.#clicksOf(key));
    return { token: tokenOf(clicks), clicks, maybeSent: record !== undefined, groups };
  }

  /** Removes a batch that analytics-svc has, and marks its links as dirty. */
  acknowledge(batch: ClickBatch): void {
    const linkIds = new Set(batch.clicks.map((click) => click.linkId));
    const mark = String(batch.groups.at(-1)?.[0]);
    this.#transaction(() => {
      this.#remove(batch);
      for (const linkId of linkIds) this.#dirty.put(linkId, mark);
    });
    this.#forget(batch);
    this.metrics.sent.inc(batch.clicks.length);
  }

  /** Moves a batch that analytics-svc will never take out of the way. It is kept, and counts for the spool's size. */
  reject(batch: ClickBatch, reason: string): void {
    const value = JSON.stringify({ reason, rejectedAt: new Date().toISOString(), rows: batch.clicks.map(rowOf) });
    this.#transaction(() => {
      this.#remove(batch);
      this.#rejected.put(batch.token, value);
    });
    this.#forget(batch);
    this.#bytes += Buffer.byteLength(value);
    this.metrics.rejected.inc(batch.clicks.length);
    this.#logger.error(
      { clicks: batch.clicks.length, batch: batch.token, reason },
      'analytics-svc refused clicks as invalid; they are kept in the spool and count nowhere',
    );
  }

  /** Links whose clicks grew since they were last cleared, at most `limit`. */
  dirtyLinks(limit: number): DirtyLink[] {
    return [...this.#dirty.getRange({ limit })].map(({ key, value }) => ({ linkId: key, mark: Number(value) }));
  }

  /** Clears links whose totals are up to date, but for those whose clicks grew again since they were read. */
  clearDirty(links: readonly DirtyLink[]): void {
    this.#transaction(() => {
      for (const { linkId, mark } of links) if (this.#dirty.get(linkId) === String(mark)) this.#dirty.remove(linkId);
    });
  }

  /** How many clicks wait to be acknowledged. */
  depth(): number {
    return this.#depth;
  }

  /** How many bytes the clicks take, rejected ones included. */
  bytes(): number {
    return this.#bytes;
  }

  /** How long the oldest click has been waiting, in milliseconds; 0 when none waits. */
  oldestAgeMs(): number {
    if (this.#closed) return 0;
    for (const { value } of this.#groups.getRange({ limit: 1 }))
      for (const row of parseRows(value)) return Date.now() - clickOfRow(row).clickedAtMs;
    const [first] = this.#journaled.rows;
    return first === undefined ? 0 : Date.now() - clickOfRow(JSON.parse(first)).clickedAtMs;
  }

  /** Calls `listener`, and only this one, whenever clicks were appended. */
  onAppend(listener: () => void): void {
    this.#onAppend = listener;
  }

  /** Writes what is on its way, closes the file and gives the directory free. What was not sent is there next time. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#write();
    this.#tryToStore();
    this.#closed = true;
    await this.#file.close();
    this.#unlock();
  }

  /** Writes this turn's clicks to the journal. */
  #write(): void {
    const turn = this.#turn;
    if (turn === null) return;
    this.#turn = null;
    try {
      this.#journal.write({ group: this.#nextNumber, rows: turn.rows });
    } catch (error) {
      this.#logger.error({ err: error }, 'the click spool could not be written');
      this.#drop('write_failed', turn.rows.length);
      turn.resolve(false);
      return;
    }
    this.#take(turn.rows, turn.length);
    this.metrics.appended.inc(turn.rows.length);
    if (this.#journaled.length > GROUP_MAX_LENGTH) this.#tryToStore();
    turn.resolve(true);
    this.#onAppend();
  }

  /** Counts rows that are in the journal. */
  #take(rows: readonly string[], length: number): void {
    for (const row of rows) this.#journaled.rows.push(row);
    this.#journaled.length += length;
    this.#depth += rows.length;
    this.#bytes += length;
  }

  /** Takes what an earlier run left in the journal. */
  #replay(): void {
    const { entries, unreadable } = this.#journal.read();
    if (unreadable > 0) {
      const copy = `${this.#journal.path}-broken-${Date.now()}`;
      copyFileSync(this.#journal.path, copy);
      this.#logger.fatal(
        { lines: unreadable, path: copy },
        'lines of the click journal cannot be read; a copy is kept',
      );
    }
    for (const { group, rows } of entries) {
      // What was stored when the process died before it cleared the journal.
      if (group < this.#nextNumber) continue;
      this.#take(
        rows,
        rows.reduce((sum, row) => sum + row.length + 1, 0),
      );
    }
    this.#tryToStore();
  }

  /** Makes groups, of at most so many clicks, of what is in the journal. Throws where they cannot be written. */
  #store(maxClicks: number): void {
    const { rows, length } = this.#journaled;
    const groups = partsOf(rows, maxClicks).map((part, index) => {
      const value = `[${part.join(',')}]`;
      const key: GroupKey = [this.#nextNumber + index, part.length, Buffer.byteLength(value)];
      return { key, value };
    });
    const last = groups.at(-1);
    if (last !== undefined) {
      this.#transaction(() => {
        for (const { key, value } of groups) this.#groups.put(key, value);
        this.#state.put(STORED_KEY, String(last.key[0]));
      });
      this.#nextNumber = last.key[0] + 1;
      this.#bytes += groups.reduce((sum, { key }) => sum + key[2], -length);
      this.#journaled = { rows: [], length: 0 };
    }
    this.#journal.clear();
  }

  /** As {@link #store}; where it fails the clicks stay in the journal. */
  #tryToStore(): void {
    try {
      this.#store(Number.POSITIVE_INFINITY);
      this.#storing.worked();
    } catch (error) {
      this.#storing.failed(error);
    }
  }

  #drop(reason: DropReason, clicks: number): Promise<boolean> {
    this.metrics.dropped.labels(reason).inc(clicks);
    this.#droppedSinceLog += clicks;
    const now = Date.now();
    if (now >= this.#logDropsAfter) {
      this.#logger.error(
        { reason, clicks: this.#droppedSinceLog, spool_bytes: this.#bytes, spool_max_bytes: this.#maxBytes },
        'clicks are being lost: the spool cannot take them',
      );
      this.#droppedSinceLog = 0;
      this.#logDropsAfter = now + LOG_DROPS_EVERY_MS;
    }
    return Promise.resolve(false);
  }

  /** The groups at the front that make a new batch; its bounds are written down. */
  #cutBatch(maxClicks: number): GroupKey[] {
    const groups: GroupKey[] = [];
    let [clicks, bytes] = [0, 0];
    for (const key of this.#groups.getKeys()) {
      clicks += key[1];
      bytes += key[2];
      if (groups.length > 0 && (clicks > maxClicks || bytes > BATCH_MAX_BYTES)) break;
      groups.push(key);
    }
    const [first, last] = [groups[0], groups.at(-1)];
    if (first !== undefined && last !== undefined)
      this.#transaction(() => this.#state.put(BATCH_KEY, JSON.stringify([first[0], last[0]])));
    return groups;
  }

  #recordedBatch(record: string): GroupKey[] {
    const [first, last] = JSON.parse(record) as [number, number];
    // A shorter key sorts before every longer one that begins with it.
    const bounds = { start: [first] as unknown as GroupKey, end: [last + 1] as unknown as GroupKey };
    return [...this.#groups.getKeys(bounds)];
  }

  #clicksOf(key: GroupKey): Click[] {
    const value = this.#groups.get(key);
    if (value === undefined) throw new Error(`the spool has no group ${key[0]}`);
    return parseRows(value).map(clickOfRow);
  }

  #remove(batch: ClickBatch): void {
    for (const key of batch.groups) this.#groups.remove(key);
    this.#state.remove(BATCH_KEY);
  }

  #forget(batch: ClickBatch): void {
    for (const [, clicks, bytes] of batch.groups) {
      this.#depth -= clicks;
      this.#bytes -= bytes;
    }
  }

  #transaction(action: () => void): void {
    this.#file.root.transactionSync(action, COMMIT_SYNCHRONOUSLY);
  }
}

function tables(root: SpoolFile['root']) {
  return {
    groups: root.openDB<string, GroupKey>({ name: 'groups', encoding: 'string' }),
    state: root.openDB<string, string>({ name: 'state', encoding: 'string' }),
    dirty: root.openDB<string, string>({ name: 'dirty', encoding: 'string' }),
    rejected: root.openDB<string, string>({ name: 'rejected', encoding: 'string' }),
  };
}

/** Reads every value of the file; throws where one is not what it should be. */
function readAll(root: SpoolFile['root']): void {
  const { groups, state, dirty, rejected } = tables(root);
  for (const { key, value } of groups.getRange())
    if (parseRows(value).map(clickOfRow).length !== key[1]) throw new TypeError('a group of other clicks than it says');
  for (const table of [state, rejected]) for (const { value } of table.getRange()) JSON.parse(value);
  for (const { value } of dirty.getRange())
    if (!Number.isInteger(Number(value))) throw new TypeError('a dirty link without a mark');
}

/** The rows in parts of at most so many, each about as long as a group may be. */
function partsOf(rows: readonly string[], maxRows: number): string[][] {
  const parts: string[][] = [];
  let length = 0;
  for (const row of rows) {
    const part = parts.at(-1);
    if (part === undefined || part.length >= maxRows || length > GROUP_MAX_LENGTH) {
      parts.push([row]);
      length = row.length;
    } else {
      part.push(row);
      length += row.length;
    }
  }
  return parts;
}

function newTurn(): Turn {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  return { rows: [], length: 0, written: promise, resolve };
}

function parseRows(value: string): ClickRow[] {
  return JSON.parse(value) as ClickRow[];
}

function tokenOf(clicks: readonly Click[]): string {
  return hash('sha256', clicks.map(({ id }) => id).join('')).slice(0, 32);
}
