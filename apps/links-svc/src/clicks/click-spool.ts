import { mkdirSync } from 'node:fs';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import type { Click } from './click.ts';
import { GROUP_MAX_LENGTH } from './click-group.ts';
import type { ClickJournal } from './click-journal.ts';
import { type ClickMetrics, createClickMetrics, type DropReason } from './click-metrics.ts';
import { type ClickBatch, ClickQueue } from './click-queue.ts';
import { clickOfRow, rowOf } from './click-row.ts';
import { type DirtyLink, DirtyLinks } from './dirty-links.ts';
import { DropLog } from './drop-log.ts';
import { OutageLog } from './outage-log.ts';
import { RejectedClicks, refusedBatch } from './rejected-clicks.ts';
import { spaceOf } from './spool-environment.ts';
import { openSpoolFiles, type SpoolFiles } from './spool-files.ts';
import { lockDirectory } from './spool-lock.ts';
import type { GroupKey } from './spool-tables.ts';

export interface ClickSpoolOptions {
  /** The maximum size of the clicks in bytes. Beyond it, redirects continue and their clicks are dropped and logged. */
  maxBytes: number;
  logger: Logger;
  registry: Registry;
}

/** Clicks beyond this length are dropped: while the queue cannot be written, the journal grows in memory as well. */
const JOURNAL_MAX_LENGTH = 1_024 * 1_024;
/** How long to wait after a failed write to the queue. */
const MOVE_PAUSE_MS = 1_000;

/** The clicks of one turn of the event loop, which are written together. */
interface PendingWrite {
  rows: string[];
  length: number;
  written: Promise<boolean>;
  resolve: (written: boolean) => void;
}

/**
 * Opens the spool in a directory and creates the directory if it is missing. The directory belongs to this process
 * until `close`. The spool contains every click that was acknowledged to an earlier owner, however that process ended.
 * Throws if another process owns the directory.
 */
export function openClickSpool(directory: string, options: ClickSpoolOptions): ClickSpool {
  mkdirSync(directory, { recursive: true });
  const unlock = lockDirectory(directory);
  try {
    return new ClickSpool(openSpoolFiles(directory, options.logger), unlock, options);
  } catch (error) {
    unlock();
    throw error;
  }
}

/**
 * Clicks on the local disk on their way to analytics-svc. Redirects append them, and one sender takes them from the
 * front. They are written to the journal first and moved to the queue later.
 */
export class ClickSpool {
  readonly metrics: ClickMetrics;
  /** The limit of `bytes`. */
  readonly maxBytes: number;
  readonly #files: SpoolFiles;
  readonly #unlock: () => void;
  readonly #logger: Logger;
  readonly #journal: ClickJournal;
  readonly #queue: ClickQueue;
  readonly #dirty: DirtyLinks;
  readonly #rejected: RejectedClicks;
  readonly #drops: DropLog;
  readonly #journaling: OutageLog;
  readonly #moving: OutageLog;
  #moveAfter = 0;
  #setAside: { files: number; bytes: number };
  #pendingWrite: PendingWrite | null = null;
  #onAppend: () => void = () => {};
  #closed = false;

  constructor(files: SpoolFiles, unlock: () => void, options: ClickSpoolOptions) {
    this.#files = files;
    this.#unlock = unlock;
    this.maxBytes = options.maxBytes;
    this.#logger = options.logger;
    this.#journal = files.journal;
    this.#rejected = new RejectedClicks(files.environment);
    this.#queue = new ClickQueue(files.environment, (groups) => this.#countUnreadable(groups));
    this.#dirty = new DirtyLinks(files.environment);
    this.#journaling = new OutageLog(options.logger, 'writing the journal of the spool');
    this.#moving = new OutageLog(options.logger, 'moving clicks from the journal of the spool');
    this.#replay();
    this.#setAside = files.filesSetAside();
    this.metrics = createClickMetrics(options.registry, this);
    this.#drops = new DropLog(options.logger, this.metrics.dropped);
    if (this.depth() > 0) this.#logger.info({ clicks: this.depth() }, 'the spool holds clicks of an earlier run');
  }

  /**
   * Resolves with true once the click is certain to survive this process. Resolves with false if it was dropped because
   * the spool is full or cannot be written. Drops are logged and counted. All clicks of one turn of the event loop are
   * one write.
   */
  append(click: Click): Promise<boolean> {
    const row = JSON.stringify(rowOf(click));
    if (this.#closed) return Promise.resolve(this.#drop('write_failed', 1));
    if (this.bytes() + (this.#pendingWrite?.length ?? 0) + row.length > this.maxBytes)
      return Promise.resolve(this.#drop('spool_full', 1));
    if (this.#journal.length > JOURNAL_MAX_LENGTH) return Promise.resolve(this.#drop('write_failed', 1));
    if (this.#pendingWrite === null) {
      this.#pendingWrite = newPendingWrite();
      setImmediate(() => this.#write());
    }
    const pending = this.#pendingWrite;
    pending.rows.push(row);
    pending.length += row.length + 1;
    return pending.written;
  }

  /**
   * Returns the previous batch if it is neither acknowledged nor rejected. Otherwise returns a new batch of at most
   * `maxClicks`. Returns null if nothing can be sent now.
   */
  nextBatch(maxClicks: number): ClickBatch | null {
    if (!this.#queue.hasBatch()) this.#tryToMove({ maxClicks });
    return this.#queue.nextBatch(maxClicks);
  }

  /** Removes a batch that analytics-svc has stored, and marks its links as dirty in the same transaction. */
  acknowledge(batch: ClickBatch): void {
    const linkIds = new Set(batch.clicks.map((click) => click.linkId));
    const [lastNumber] = batch.groups.at(-1)!;
    this.#queue.remove(batch, this.#dirty.bytesToMark(linkIds.size), () => this.#dirty.mark(linkIds, lastNumber));
    this.metrics.sent.inc(batch.clicks.length);
  }

  /**
   * Moves a batch that analytics-svc will never accept out of the queue. It is kept and counts towards the size limit.
   */
  reject(batch: ClickBatch, reason: string): void {
    const entry = refusedBatch(batch, reason);
    this.#queue.remove(batch, spaceOf(Buffer.byteLength(entry.value)), () => this.#rejected.put(entry));
    this.#rejected.count();
    this.metrics.rejected.inc(batch.clicks.length);
    this.#logger.error(
      { clicks: batch.clicks.length, batch: batch.token, reason },
      'analytics-svc refused clicks as invalid; they stay in the spool and are not counted',
    );
  }

  /** Returns at most `limit` links with new clicks since they were last cleared. */
  dirtyLinks(limit: number): DirtyLink[] {
    return this.#dirty.first(limit);
  }

  /** Clears links whose totals are up to date, except links that got new clicks after they were read. */
  clearDirty(links: readonly DirtyLink[]): void {
    this.#dirty.clear(links);
  }

  /** Returns the number of clicks that are not acknowledged yet. */
  depth(): number {
    return this.#queue.clicks + this.#journal.rows.length;
  }

  /** Returns the size of the clicks in bytes, including rejected clicks and damaged files that were set aside. */
  bytes(): number {
    return this.#queue.bytes + this.#journal.length + this.#rejected.bytes + this.#setAside.bytes;
  }

  /** Returns the number of damaged files kept for inspection. Files that were moved away no longer count in `bytes`. */
  damagedFiles(): number {
    this.#setAside = this.#files.filesSetAside();
    return this.#setAside.files;
  }

  /** Returns the age of the oldest waiting click in milliseconds, or 0 if no click is waiting. */
  oldestAgeMs(): number {
    if (this.#closed) return 0;
    const oldest = this.#queue.first() ?? this.#journal.rows.slice(0, 1).map((row) => clickOfRow(JSON.parse(row)))[0];
    return oldest === undefined ? 0 : Date.now() - oldest.clickedAtMs;
  }

  /** Sets the listener that is called whenever clicks were appended. It replaces the previous one. */
  onAppend(listener: () => void): void {
    this.#onAppend = listener;
  }

  /** Writes pending clicks, closes the files and releases the directory. Unsent clicks stay for the next start. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#write();
    this.#tryToMove();
    this.#closed = true;
    await this.#files.close();
    this.#unlock();
  }

  /**
   * Writes the clicks of this turn to the journal. If the journal has no room, tries the queue: it may have free pages.
   */
  #write(): void {
    const pending = this.#pendingWrite;
    if (pending === null) return;
    this.#pendingWrite = null;
    const written = this.#tryToJournal(pending.rows) || this.#tryToMove({ unjournaled: pending.rows });
    if (!written) {
      pending.resolve(this.#drop('write_failed', pending.rows.length));
      return;
    }
    this.metrics.appended.inc(pending.rows.length);
    if (this.#journal.length > GROUP_MAX_LENGTH) this.#tryToMove();
    pending.resolve(true);
    this.#onAppend();
  }

  #tryToJournal(rows: readonly string[]): boolean {
    try {
      this.#journal.write(this.#queue.nextNumber, rows);
      this.#journaling.worked();
      return true;
    } catch (error) {
      this.#journaling.failed(error);
      return false;
    }
  }

  /** Loads the rows that an earlier run left in the journal. */
  #replay(): void {
    const unreadable = this.#journal.replay(this.#queue.nextNumber);
    if (unreadable > 0) this.#keepJournal(unreadable);
    this.#tryToMove();
  }

  #keepJournal(lines: number): void {
    try {
      const path = this.#files.copyJournal();
      this.#logger.fatal({ lines, path }, 'the click journal has unreadable lines; a copy was kept');
    } catch (error) {
      this.#logger.fatal({ lines, err: error }, 'the click journal has unreadable lines, and they could not be copied');
    }
  }

  /**
   * Moves the rows of the journal to the queue, together with rows that the journal could not take. Returns whether the
   * rows are in the queue. If the write fails, nothing changes, and it is not tried again for a second.
   */
  #tryToMove({ maxClicks = Number.POSITIVE_INFINITY, unjournaled = [] as readonly string[] } = {}): boolean {
    if (Date.now() < this.#moveAfter) return false;
    let moved = false;
    try {
      this.#queue.add([...this.#journal.rows, ...unjournaled], maxClicks);
      moved = true;
      this.#journal.clear();
      this.#moving.worked();
    } catch (error) {
      this.#moveAfter = Date.now() + MOVE_PAUSE_MS;
      this.#moving.failed(error);
    }
    return moved;
  }

  #countUnreadable(groups: GroupKey[]): void {
    const clicks = groups.reduce((sum, key) => sum + key[1], 0);
    this.metrics.unreadable.inc(clicks);
    this.#logger.error(
      { clicks, groups: groups.map(([number]) => number) },
      'the spool has unreadable clicks; they stay in its file and are not counted',
    );
  }

  /** Counts lost clicks. Returns false, the result of their `append`. */
  #drop(reason: DropReason, clicks: number): false {
    this.#drops.dropped(clicks, reason, { spool_bytes: this.bytes(), spool_max_bytes: this.maxBytes });
    return false;
  }
}

function newPendingWrite(): PendingWrite {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  return { rows: [], length: 0, written: promise, resolve };
}
