import type { ClickBatch } from './click-queue.ts';
import { rowOf } from './click-row.ts';
import { pagesOf, type SpoolEnvironment, type TableStats } from './spool-environment.ts';

/** An entry of the table of rejected clicks. */
export interface RejectedEntry {
  key: string;
  value: string;
}

/** Clicks that analytics-svc refused as invalid: they are kept for inspection and never sent again. */
export class RejectedClicks {
  readonly #environment: SpoolEnvironment;
  #bytes = 0;

  constructor(environment: SpoolEnvironment) {
    this.#environment = environment;
    this.count();
  }

  /** How many bytes of the file they take. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Keeps an entry, within a transaction. */
  put({ key, value }: RejectedEntry): void {
    this.#environment.tables.rejected.put(key, value);
  }

  /** Counts the bytes anew, once a transaction is committed. */
  count(): void {
    const stats = this.#environment.tables.rejected.getStats() as TableStats;
    this.#bytes = pagesOf(stats) * stats.pageSize;
  }
}

/** The entry of a batch that analytics-svc refused. */
export function refusedBatch(batch: ClickBatch, reason: string): RejectedEntry {
  const value = { reason, rejectedAt: new Date().toISOString(), rows: batch.clicks.map(rowOf) };
  return { key: batch.token, value: JSON.stringify(value) };
}
