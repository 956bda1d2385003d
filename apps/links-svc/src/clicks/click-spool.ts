import { copyFileSync, mkdirSync } from 'node:fs';
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
import { openSpoolFile, type SpoolFile } from './spool-file.ts';
import { lockDirectory } from './spool-lock.ts';

export interface ClickSpoolOptions {
  /** How many bytes of clicks are kept; beyond it redirects go on and their clicks are dropped, loudly. */
  maxBytes: number;
  logger: Logger;
  registry: Registry;
}

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
    return new ClickSpool(openSpoolFile(directory, options.logger), unlock, options);
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
  readonly #file: SpoolFile;
  readonly #unlock: () => void;
  readonly #maxBytes: number;
  readonly #logger: Logger;
  readonly #journal: ClickJournal;
  readonly #queue: ClickQueue;
  readonly #dirty: DirtyLinks;
  readonly #rejected: RejectedClicks;
  readonly #drops: DropLog;
  readonly #moving: OutageLog;
  #turn: Turn | null = null;
  #onAppend: () => void = () => {};
  #closed = false;

  constructor(file: SpoolFile, unlock: () => void, options: ClickSpoolOptions) {
    this.#file = file;
    this.#unlock = unlock;
    this.#maxBytes = options.maxBytes;
    this.#logger = options.logger;
    this.#journal = file.journal;
    this.#queue = new ClickQueue(file);
    this.#dirty = new DirtyLinks(file);
    this.#rejected = new RejectedClicks(file);
    this.#moving = new OutageLog(options.logger, 'moving clicks from the journal of the spool');
    this.#replay();
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
   * a new one of at most `maxClicks`. Null when there is nothing to send.
   */
  nextBatch(maxClicks: number): ClickBatch | null {
    if (!this.#queue.hasBatch()) this.#move(maxClicks);
    return this.#queue.nextBatch(maxClicks);
  }

  /** Removes a batch that analytics-svc has, and marks its links as dirty, in one transaction. */
  acknowledge(batch: ClickBatch): void {
    const linkIds = new Set(batch.clicks.map((click) => click.linkId));
    const [lastNumber] = batch.groups.at(-1)!;
    this.#queue.remove(batch, () => this.#dirty.mark(linkIds, lastNumber));
    this.metrics.sent.inc(batch.clicks.length);
  }

  /** Moves a batch that analytics-svc will never take out of the way. It is kept, and counts for the spool's size. */
  reject(batch: ClickBatch, reason: string): void {
    const entry = refusedBatch(batch, reason);
    this.#queue.remove(batch, () => this.#rejected.put(entry));
    this.#rejected.count(entry);
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

  /** How many bytes the clicks take, rejected ones included. */
  bytes(): number {
    return this.#queue.bytes + this.#journal.length + this.#rejected.bytes;
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
    await this.#file.close();
    this.#unlock();
  }

  /** Writes this turn's clicks to the journal. */
  #write(): void {
    const turn = this.#turn;
    if (turn === null) return;
    this.#turn = null;
    try {
      this.#journal.write(this.#queue.nextNumber, turn.rows);
    } catch (error) {
      this.#logger.error({ err: error }, 'the click spool could not be written');
      turn.resolve(this.#drop('write_failed', turn.rows.length));
      return;
    }
    this.metrics.appended.inc(turn.rows.length);
    if (this.#journal.length > GROUP_MAX_LENGTH) this.#tryToMove();
    turn.resolve(true);
    this.#onAppend();
  }

  /** Takes what an earlier run left in the journal. */
  #replay(): void {
    const unreadable = this.#journal.replay(this.#queue.nextNumber);
    if (unreadable > 0) {
      const copy = `${this.#journal.path}-broken-${Date.now()}`;
      copyFileSync(this.#journal.path, copy);
      this.#logger.fatal(
        { lines: unreadable, path: copy },
        'lines of the click journal cannot be read; a copy is kept',
      );
    }
    this.#tryToMove();
  }

  /** Moves what is in the journal to the queue, as groups of at most so many clicks. Throws if that cannot be written. */
  #move(maxClicks: number): void {
    this.#queue.add(this.#journal.rows, maxClicks);
    this.#journal.clear();
  }

  /** As {@link #move}; if it fails the clicks stay in the journal. */
  #tryToMove(): void {
    try {
      this.#move(Number.POSITIVE_INFINITY);
      this.#moving.worked();
    } catch (error) {
      this.#moving.failed(error);
    }
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
