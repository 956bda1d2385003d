import { toAppError } from '@waymark/contract';
import type { Logger } from 'pino';
import { type AnalyticsSister, recordClicks } from './analytics-client.ts';
import { backoff, pause } from './backoff.ts';
import type { ClickSpool } from './click-spool.ts';
import { OutageLog } from './outage-log.ts';

export interface ClickSenderOptions {
  spool: ClickSpool;
  analytics: AnalyticsSister;
  logger: Logger;
  /**
   * Clicks in a batch at most. A larger one costs ClickHouse less for each click, and keeps redirects waiting for longer while it is
   * read and encoded: 10,000 take 6 and 7 ms.
   */
  maxBatch?: number;
  /** How long the first click of a batch waits for others. */
  gatherMs?: number;
}

/** What is running and can be ended. */
export interface Running {
  /** Goes on until all is done, `deadlineMs` at most. */
  close(deadlineMs: number): Promise<void>;
}

/** Codes that say: this batch, and not this moment, is wrong. */
const NEVER = new Set(['invalid', 'too_large']);

/**
 * Sends the spool's clicks to analytics-svc, one batch at a time and in order; a batch leaves the spool when
 * analytics-svc has acknowledged it, and is sent again, the same, until then. A batch that is refused as invalid is
 * rejected, so that the ones behind it can go. `close` sends what is left, as far as the deadline lets it.
 */
export function startClickSender(options: ClickSenderOptions): Running {
  const { spool, analytics, logger, maxBatch = 10_000, gatherMs = 400 } = options;
  const outage = new OutageLog(logger, 'sending clicks to analytics-svc');
  const abort = new AbortController();
  const draining = new AbortController();
  let wake = () => {};
  spool.onAppend(() => wake());

  /** Resolves when a batch is due: full, or gathered for long enough, or when the sender is to end. */
  async function due(): Promise<void> {
    if (spool.depth() === 0) await appended(() => spool.depth() > 0);
    await appended(() => spool.depth() >= maxBatch, gatherMs);
  }

  function appended(isEnough: () => boolean, timeoutMs?: number): Promise<void> {
    return new Promise((resolve) => {
      let timer: NodeJS.Timeout | undefined;
      const check = () => {
        if (!draining.signal.aborted && !isEnough()) return;
        done();
      };
      const done = () => {
        wake = () => {};
        clearTimeout(timer);
        resolve();
      };
      if (timeoutMs !== undefined) timer = setTimeout(done, timeoutMs);
      wake = check;
      check();
    });
  }

  /** Sends the batch at the front; false when there was none. Throws where it is to be tried again. */
  async function sendBatch(): Promise<boolean> {
    const batch = spool.nextBatch(maxBatch);
    if (batch === null) return false;
    try {
      await recordClicks(analytics, batch, abort.signal);
    } catch (error) {
      const { code, message } = toAppError(error);
      if (!NEVER.has(code)) throw error;
      spool.reject(batch, message);
      return true;
    }
    spool.acknowledge(batch);
    return true;
  }

  async function run(): Promise<void> {
    let failures = 0;
    while (!abort.signal.aborted) {
      if (failures === 0) await due();
      try {
        const sent = await sendBatch();
        failures = 0;
        outage.worked();
        if (sent) continue;
        if (draining.signal.aborted) return;
        // There are clicks, but none that can be sent now.
        await pause(gatherMs, abort.signal);
      } catch (error) {
        if (abort.signal.aborted) return;
        failures += 1;
        outage.failed(error);
        await backoff(failures, abort.signal);
      }
    }
  }

  const running = run();
  return {
    async close(deadlineMs) {
      const timer = setTimeout(() => abort.abort(), deadlineMs);
      draining.abort();
      wake();
      await running;
      clearTimeout(timer);
      if (spool.depth() > 0)
        logger.warn({ clicks: spool.depth() }, 'clicks stay in the spool; they are sent after the next start');
    },
  };
}
