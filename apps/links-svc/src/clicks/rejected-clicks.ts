import type { ClickBatch } from './click-queue.ts';
import { rowOf } from './click-row.ts';
import { pagesOf, type SpoolEnvironment, type TableStats } from './spool-environment.ts';

/** An entry of the table of rejected clicks. */
export interface RejectedEntry {
  key: string;
  value: string;
}

/** Clicks that analytics-svc refused as invalid. They are kept for inspection and never sent again. */
export class RejectedClicks {
  readonly #environment: SpoolEnvironment;
  #bytes = 0;

  constructor(environment: SpoolEnvironment) {
    this.#environment = environment;
    this.count();
  }

  /** Returns the number of bytes that they use in the file. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Stores an entry. Call it within a transaction. */
  put({ key, value }: RejectedEntry): void {
    this.#environment.tables.rejected.put(key, value);
  }

  /** Updates the size. Call it after a transaction was committed. */
  count(): void {
    const stats = this.#environment.tables.rejected.getStats() as TableStats;
    this.#bytes = pagesOf(stats) * stats.pageSize;
  }
}

/** Returns the entry for a batch that analytics-svc refused. */
export function refusedBatch(batch: ClickBatch, reason: string): RejectedEntry {
  const value = { reason, rejectedAt: new Date().toISOString(), rows: batch.clicks.map(rowOf) };
  return { key: batch.token, value: JSON.stringify(value) };
}
