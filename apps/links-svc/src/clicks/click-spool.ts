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
  /** How many bytes of clicks are kept; beyond it redirects go on and their clicks are dropped, loudly. */
  maxBytes: number;
  logger: Logger;
  registry: Registry;
}

/** Clicks are dropped beyond this: while the queue cannot be written, what is in the journal is in memory too. */
const JOURNAL_MAX_LENGTH = 1_024 * 1_024;
/** How long the queue is not written after it could not be. */
const MOVE_PAUSE_MS = 1_000;

/** The clicks of this turn of the event loop, which are to be written. */
interface Turn {
  rows: string[];
  length: number;
  written: Promise<boolean>;
  resolve: (written: boolean) => void;
}

/**
 * Opens the spool in a directory, which is made if it is missing and belongs to this process until `close`. Every
 * click that was acknowledged to an earlier owner of the directory, however it ended, is in it. Throws when another
 * process owns the directory.
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
 * Clicks on their way to analytics-svc, on the local disk: appended by redirects, taken from the front by one sender.
 * They are in the journal first and are moved from there to the queue.
 */
export class ClickSpool {
  readonly metrics: ClickMetrics;
  readonly #files: SpoolFiles;
  readonly #unlock: () => void;
  readonly #maxBytes: number;
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
  #turn: Turn | null = null;
  #onAppend: () => void = () => {};
  #closed = false;

  constructor(files: SpoolFiles, unlock: () => void, options: ClickSpoolOptions) {
    this.#files = files;
    this.#unlock = unlock;
    this.#maxBytes = options.maxBytes;
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
    if (this.depth() > 0) this.#logger.info({ clicks: this.depth() }, 'clicks of an earlier run are in the spool');
  }

  /**
   * Resolves once the click outlives this process: true, or false when it was dropped because the spool is full or
   * cannot be written, which is logged and counted. All clicks of one turn of the event loop are one write.
   */
  append(click: Click): Promise<boolean> {
    const row = JSON.stringify(rowOf(click));
    if (this.#closed) return Promise.resolve(this.#drop('write_failed', 1));
    if (this.bytes() + (this.#turn?.length ?? 0) + row.length > this.#maxBytes)
      return Promise.resolve(this.#drop('spool_full', 1));
    if (this.#journal.length > JOURNAL_MAX_LENGTH) return Promise.resolve(this.#drop('write_failed', 1));
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
   * Returns the batch at the front: the one that was returned last if it is still neither acknowledged nor rejected, else
   * a new one of at most `maxClicks`. Null when there is nothing that can be sent now.
   */
  nextBatch(maxClicks: number): ClickBatch | null {
    if (!this.#queue.hasBatch()) this.#tryToMove({ maxClicks });
    return this.#queue.nextBatch(maxClicks);
  }

  /** Removes a batch that analytics-svc has, and marks its links as dirty, in one transaction. */
  acknowledge(batch: ClickBatch): void {
    const linkIds = new Set(batch.clicks.map((click) => click.linkId));
    const [lastNumber] = batch.groups.at(-1)!;
    this.#queue.remove(batch, this.#dirty.bytesToMark(linkIds.size), () => this.#dirty.mark(linkIds, lastNumber));
    this.metrics.sent.inc(batch.clicks.length);
  }

  /** Moves a batch that analytics-svc will never take out of the way. It is kept, and counts for the spool's size. */
  reject(batch: ClickBatch, reason: string): void {
    const entry = refusedBatch(batch, reason);
    this.#queue.remove(batch, spaceOf(Buffer.byteLength(entry.value)), () => this.#rejected.put(entry));
    this.#rejected.count();
    this.metrics.rejected.inc(batch.clicks.length);
    this.#logger.error(
      { clicks: batch.clicks.length, batch: batch.token, reason },
      'analytics-svc refused clicks as invalid; they are kept in the spool and count nowhere',
    );
  }

  /** Links whose clicks grew since they were last cleared, at most `limit`. */
  dirtyLinks(limit: number): DirtyLink[] {
    return this.#dirty.first(limit);
  }

  /** Clears links whose totals are up to date, except those whose clicks grew again since they were read. */
  clearDirty(links: readonly DirtyLink[]): void {
    this.#dirty.clear(links);
  }

  /** How many clicks wait to be acknowledged. */
  depth(): number {
    return this.#queue.clicks + this.#journal.rows.length;
  }

  /** How many bytes the clicks take, with rejected ones and the damaged files that were set aside. */
  bytes(): number {
    return this.#queue.bytes + this.#journal.length + this.#rejected.bytes + this.#setAside.bytes;
  }

  /** How many damaged files are kept for inspection. Once they are moved away their bytes do not count any more. */
  damagedFiles(): number {
    this.#setAside = this.#files.filesSetAside();
    return this.#setAside.files;
  }

  /** How long the oldest click has been waiting, in milliseconds; 0 when none waits. */
  oldestAgeMs(): number {
    if (this.#closed) return 0;
    const oldest = this.#queue.first() ?? this.#journal.rows.slice(0, 1).map((row) => clickOfRow(JSON.parse(row)))[0];
    return oldest === undefined ? 0 : Date.now() - oldest.clickedAtMs;
  }

  /** Calls `listener`, and only this one, whenever clicks were appended. */
  onAppend(listener: () => void): void {
    this.#onAppend = listener;
  }

  /** Writes what is on its way, closes the file and releases the directory. What was not sent is there next time. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#write();
    this.#tryToMove();
    this.#closed = true;
    await this.#files.close();
    this.#unlock();
  }

  /** Writes this turn's clicks to the journal or, if that has no room, to the queue, which may have free pages. */
  #write(): void {
    const turn = this.#turn;
    if (turn === null) return;
    this.#turn = null;
    const written = this.#tryToJournal(turn.rows) || this.#tryToMove({ unjournaled: turn.rows });
    if (!written) {
      turn.resolve(this.#drop('write_failed', turn.rows.length));
      return;
    }
    this.metrics.appended.inc(turn.rows.length);
    if (this.#journal.length > GROUP_MAX_LENGTH) this.#tryToMove();
    turn.resolve(true);
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

  /** Takes what an earlier run left in the journal. */
  #replay(): void {
    const unreadable = this.#journal.replay(this.#queue.nextNumber);
    if (unreadable > 0) this.#keepJournal(unreadable);
    this.#tryToMove();
  }

  #keepJournal(lines: number): void {
    try {
      const path = this.#files.copyJournal();
      this.#logger.fatal({ lines, path }, 'lines of the click journal cannot be read; a copy is kept');
    } catch (error) {
      this.#logger.fatal({ lines, err: error }, 'lines of the click journal cannot be read, nor can they be copied');
    }
  }

  /**
   * Moves what is in the journal to the queue, with the rows that the journal could not take. If that fails all stays as
   * it is, and is not tried for a second. Returns whether the rows are in the queue.
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
      'groups of clicks in the spool cannot be read; they stay in its file and count nowhere',
    );
  }

  /** Counts clicks that are lost. Returns false, which is what their `append` resolves to. */
  #drop(reason: DropReason, clicks: number): false {
    this.#drops.dropped(clicks, reason, { spool_bytes: this.bytes(), spool_max_bytes: this.#maxBytes });
    return false;
  }
}

function newTurn(): Turn {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  return { rows: [], length: 0, written: promise, resolve };
}
