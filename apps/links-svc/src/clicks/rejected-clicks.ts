import type { ClickBatch } from './click-queue.ts';
import { rowOf } from './click-row.ts';
import type { SpoolFile } from './spool-file.ts';

/** An entry of the table of rejected clicks. */
export interface RejectedEntry {
  key: string;
  value: string;
}

/** Clicks that are kept for inspection and never sent again. */
export class RejectedClicks {
  readonly #file: SpoolFile;
  #bytes = 0;

  constructor(file: SpoolFile) {
    this.#file = file;
    for (const entry of file.tables.rejected.getRange()) this.count(entry);
  }

  /** How many bytes they take. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Keeps an entry, within a transaction. */
  put({ key, value }: RejectedEntry): void {
    this.#file.tables.rejected.put(key, value);
  }

  /** Counts the bytes of an entry, once its transaction is committed. */
  count({ value }: RejectedEntry): void {
    this.#bytes += Buffer.byteLength(value);
  }
}

/** The entry of a batch that analytics-svc refused. */
export function refusedBatch(batch: ClickBatch, reason: string): RejectedEntry {
  const value = { reason, rejectedAt: new Date().toISOString(), rows: batch.clicks.map(rowOf) };
  return { key: batch.token, value: JSON.stringify(value) };
}
