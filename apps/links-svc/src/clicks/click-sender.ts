import { toAppError } from '@waymark/contract';
import { withTimeout } from '@waymark/service-kit';
import type { Logger } from 'pino';
import { type AnalyticsConnection, recordClicks } from './analytics-client.ts';
import { backoff, pause } from './backoff.ts';
import type { Click } from './click.ts';
import type { ClickSpool } from './click-spool.ts';
import { OutageLog } from './outage-log.ts';

export type ExistingLinks = (linkIds: string[]) => Promise<string[]>;

export interface ClickSenderOptions {
  spool: ClickSpool;
  analytics: AnalyticsConnection;
  /** Returns those of these ids whose links exist. Rejects with an `AppError`. */
  existingLinks: ExistingLinks;
  logger: Logger;
  /**
   * The maximum number of clicks in a batch. A larger batch is cheaper for ClickHouse, but reading and encoding it
   * blocks redirects for longer.
   */
  maxBatch?: number;
  /** How long the first click of a batch waits for more clicks. */
  gatherMs?: number;
}

/** A background job that can be closed. */
export interface Running {
  /** Finishes the remaining work, for at most `deadlineMs`. */
  close(deadlineMs: number): Promise<void>;
}

/**
 * Links of younger clicks need no look: a link that is deleted after its click is remembered for two days, and then its
 * clicks are purged.
 */
const SURE_FOR_MS = 24 * 3_600_000;

/** Error codes that mean that this batch can never succeed, however often it is sent. */
const NEVER = new Set(['invalid', 'too_large']);

/**
 * Sends the clicks of the spool to analytics-svc, in order and one batch at a time. A batch is sent again unchanged
 * until analytics-svc acknowledges it, and only then leaves the spool. Old clicks of deleted links leave it unsent: nobody
 * may remember any more that theirs must be purged. A batch that is refused as invalid is rejected, so that it does not block
 * the next ones. `close` sends the remaining clicks until the deadline.
 */
export function startClickSender(options: ClickSenderOptions): Running {
  const { spool, analytics, existingLinks, logger, maxBatch = 10_000, gatherMs = 400 } = options;
  const outage = new OutageLog(logger, 'sending clicks to analytics-svc');
  const abort = new AbortController();
  const draining = new AbortController();
  let wake = () => {};
  spool.onAppend(() => wake());

  /** Resolves when a batch is full, when its clicks were gathered for long enough, or when the sender is closing. */
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

  /** Returns the clicks whose deletion is remembered, if their link was deleted, or whose link exists. */
  async function withoutDeletedLinks(clicks: Click[]): Promise<Click[]> {
    const now = Date.now();
    const isSure = ({ clickedAtMs }: Click) => clickedAtMs <= now && now - clickedAtMs < SURE_FOR_MS;
    const linkIds = new Set(clicks.flatMap((click) => (isSure(click) ? [] : [click.linkId])));
    if (linkIds.size === 0) return clicks;
    const existing = new Set(await existingLinks([...linkIds]));
    return clicks.filter((click) => isSure(click) || existing.has(click.linkId));
  }

  /** Sends the batch at the front. Returns false if there is none. Throws if the batch must be sent again. */
  async function sendBatch(): Promise<boolean> {
    const batch = spool.nextBatch(maxBatch);
    if (batch === null) return false;
    // The rest of a batch that may be stored keeps its token, so nothing counts twice.
    const sent = { ...batch, clicks: await withoutDeletedLinks(batch.clicks) };
    try {
      if (sent.clicks.length > 0) await recordClicks(analytics, sent, abort.signal);
    } catch (error) {
      const { code, message } = toAppError(error);
      if (!NEVER.has(code)) throw error;
      spool.reject(batch, message);
      return true;
    }
    spool.acknowledge(sent);
    spool.metrics.ofDeletedLinks.inc(batch.clicks.length - sent.clicks.length);
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
      draining.abort();
      wake();
      await withTimeout(running, deadlineMs, 'sending the last clicks').catch(() => abort.abort());
      await running;
      if (spool.depth() > 0)
        logger.warn({ clicks: spool.depth() }, 'clicks remain in the spool; they will be sent after the next start');
    },
  };
}
