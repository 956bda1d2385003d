import { mkdirSync } from 'node:fs';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import type { Click } from './click.ts';
import { type ClickMetrics, createClickMetrics, type DropReason } from './click-metrics.ts';
import { rowOf } from './click-row.ts';
import { DropLog } from './drop-log.ts';
import { OutageLog } from './outage-log.ts';
import type { ClickBatch, DirtyLink, SpoolStore } from './spool.store.ts';
import { filesSetAside, openSpoolStore, replaceDamaged } from './spool-damage.ts';
import { isDamage } from './spool-errors.ts';
import { lockDirectory } from './spool-lock.ts';

export interface ClickSpoolOptions {
  /** The maximum size of the clicks in bytes. Beyond it, redirects continue and their clicks are dropped and logged. */
  maxBytes: number;
  logger: Logger;
  registry: Registry;
}

/** Clicks of this size are written without waiting for the end of the turn. */
const WRITE_MAX_BYTES = 256 * 1_024;

/** The clicks of one turn of the event loop, which are written together. */
interface PendingWrite {
  rows: string[];
  bytes: number;
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
    return new ClickSpool(directory, openSpoolStore(directory, options.logger), unlock, options);
  } catch (error) {
    unlock();
    throw error;
  }
}

/**
 * Clicks in a local file on their way to analytics-svc. Redirects append them, and one sender takes them from the
 * front.
 */
export class ClickSpool {
  readonly metrics: ClickMetrics;
  /** The limit of `bytes`. */
  readonly maxBytes: number;
  readonly #directory: string;
  readonly #unlock: () => void;
  readonly #logger: Logger;
  readonly #drops: DropLog;
  readonly #writing: OutageLog;
  #store: SpoolStore;
  #setAside: { files: number; bytes: number };
  #pendingWrite: PendingWrite | null = null;
  #onAppend: () => void = () => {};
  #closed = false;

  constructor(
    directory: string,
    store: SpoolStore,
    unlock: () => void,
    { maxBytes, logger, registry }: ClickSpoolOptions,
  ) {
    this.#directory = directory;
    this.#store = store;
    this.#unlock = unlock;
    this.maxBytes = maxBytes;
    this.#logger = logger;
    this.#setAside = filesSetAside(directory);
    this.metrics = createClickMetrics(registry, this);
    this.#drops = new DropLog(logger, this.metrics.dropped);
    this.#writing = new OutageLog(logger, 'writing clicks to the spool');
    if (this.depth() > 0) logger.info({ clicks: this.depth() }, 'the spool holds clicks of an earlier run');
  }

  /**
   * Resolves with true once the click is in a file. It survives a kill of the process; a power cut may lose the last
   * second. Resolves with false if it was dropped because the spool is full or cannot be written. Drops are logged and
   * counted. All clicks of one turn of the event loop are one write.
   */
  append(click: Click): Promise<boolean> {
    const row = rowOf(click);
    const bytes = Buffer.byteLength(row);
    if (this.#closed) return Promise.resolve(this.#drop('write_failed', 1));
    if (this.bytes() + (this.#pendingWrite?.bytes ?? 0) + bytes > this.maxBytes)
      return Promise.resolve(this.#drop('spool_full', 1));
    if (this.#pendingWrite === null) {
      this.#pendingWrite = newPendingWrite();
      setImmediate(() => this.#write());
    }
    const pending = this.#pendingWrite;
    pending.rows.push(row);
    pending.bytes += bytes;
    if (pending.bytes > WRITE_MAX_BYTES) this.#write();
    return pending.written;
  }

  /**
   * Returns the previous batch if it is neither acknowledged nor rejected. Otherwise returns a new batch of at most
   * `maxClicks`. Returns null if nothing can be sent now.
   */
  nextBatch(maxClicks: number): ClickBatch | null {
    return this.#use((store) => store.nextBatch(maxClicks));
  }

  /** Removes a batch that analytics-svc has stored, and marks its links as dirty in the same transaction. */
  acknowledge(batch: ClickBatch): void {
    this.#use((store) => store.acknowledge(batch));
    this.metrics.sent.inc(batch.clicks.length);
  }

  /**
   * Moves a batch that analytics-svc will never accept out of the queue. It is kept and counts towards the size limit.
   */
  reject(batch: ClickBatch, reason: string): void {
    this.#use((store) => store.reject(batch, reason));
    this.metrics.rejected.inc(batch.clicks.length);
    this.#logger.error(
      { clicks: batch.clicks.length, batch: batch.token, reason },
      'analytics-svc refused clicks as invalid; they stay in the spool and are not counted',
    );
  }

  /** Returns the first `limit` links after this id with new clicks since they were last cleared. */
  dirtyLinks(limit: number, after?: string): DirtyLink[] {
    return this.#use((store) => store.dirtyLinks(limit, after));
  }

  /** Clears links whose totals are up to date, except links that got new clicks after they were read. */
  clearDirty(links: readonly DirtyLink[]): void {
    this.#use((store) => store.clearDirty(links));
  }

  /** Returns the number of clicks that are not acknowledged yet. */
  depth(): number {
    return this.#store.clicks;
  }

  /** Returns the size of the clicks in bytes, including rejected clicks and damaged files that were set aside. */
  bytes(): number {
    return this.#store.bytes + this.#setAside.bytes;
  }

  /** Returns the number of damaged files kept for inspection. Files that were moved away no longer count in `bytes`. */
  damagedFiles(): number {
    this.#setAside = filesSetAside(this.#directory);
    return this.#setAside.files;
  }

  /** Returns the age of the oldest waiting click in milliseconds, or 0 if no click is waiting. */
  oldestAgeMs(): number {
    const oldest = this.#closed ? null : this.#use((store) => store.first());
    return oldest === null ? 0 : Date.now() - oldest.clickedAtMs;
  }

  /** Sets the listener that is called whenever clicks were appended. It replaces the previous one. */
  onAppend(listener: () => void): void {
    this.#onAppend = listener;
  }

  /** Writes pending clicks, closes the files and releases the directory. Unsent clicks stay for the next start. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#write();
    this.#closed = true;
    await this.#store.close();
    this.#unlock();
  }

  /** Writes the clicks of this turn. */
  #write(): void {
    const pending = this.#pendingWrite;
    if (pending === null) return;
    this.#pendingWrite = null;
    try {
      this.#use((store) => store.append(pending.rows));
    } catch (error) {
      this.#writing.failed(error);
      pending.resolve(this.#drop('write_failed', pending.rows.length));
      return;
    }
    this.#writing.worked();
    this.metrics.appended.inc(pending.rows.length);
    pending.resolve(true);
    this.#onAppend();
  }

  /** Uses the store. If its file turns out to be damaged, replaces it and uses the new one. */
  #use<T>(action: (store: SpoolStore) => T): T {
    try {
      return action(this.#store);
    } catch (error) {
      if (!isDamage(error)) throw error;
      const { nextNumber: firstNumber } = this.#store;
      this.#store.close().catch((err) => this.#logger.error({ err }, 'the damaged click spool could not be closed'));
      this.#store = replaceDamaged(this.#directory, { error, firstNumber }, this.#logger);
      this.#setAside = filesSetAside(this.#directory);
      return action(this.#store);
    }
  }

  /** Counts lost clicks. Returns false, the result of their `append`. */
  #drop(reason: DropReason, clicks: number): false {
    this.#drops.dropped(clicks, reason, { spool_bytes: this.bytes(), spool_max_bytes: this.maxBytes });
    return false;
  }
}

function newPendingWrite(): PendingWrite {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  return { rows: [], bytes: 0, written: promise, resolve };
}
