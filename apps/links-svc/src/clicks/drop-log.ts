import type { Logger } from 'pino';
import type { ClickMetrics, DropReason } from './click-metrics.ts';

const LOG_EVERY_MS = 10_000;

/** A counter of lost clicks that logs at most once in ten seconds. */
export class DropLog {
  readonly #logger: Logger;
  readonly #dropped: ClickMetrics['dropped'];
  #droppedSinceLog = 0;
  #logAfter = 0;

  constructor(logger: Logger, dropped: ClickMetrics['dropped']) {
    this.#logger = logger;
    this.#dropped = dropped;
  }

  dropped(clicks: number, reason: DropReason, sizes: { spool_bytes: number; spool_max_bytes: number }): void {
    this.#dropped.labels(reason).inc(clicks);
    this.#droppedSinceLog += clicks;
    const now = Date.now();
    if (now < this.#logAfter) return;
    this.#logger.error(
      { reason, clicks: this.#droppedSinceLog, ...sizes },
      'clicks are being lost: the spool cannot store them',
    );
    this.#droppedSinceLog = 0;
    this.#logAfter = now + LOG_EVERY_MS;
  }
}
