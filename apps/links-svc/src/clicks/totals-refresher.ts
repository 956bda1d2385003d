import { withTimeout } from '@waymark/service-kit';
import type { Logger } from 'pino';
import { type AnalyticsConnection, getLinkTotals, type LinkTotals } from './analytics-client.ts';
import { backoff, pause } from './backoff.ts';
import type { Running } from './click-sender.ts';
import type { ClickSpool } from './click-spool.ts';
import { OutageLog } from './outage-log.ts';

export interface TotalsRefresherOptions {
  spool: Pick<ClickSpool, 'dirtyLinks' | 'clearDirty'>;
  analytics: AnalyticsConnection;
  /** Writes absolute totals to the links. Never lowers a total. */
  applyTotals(totals: LinkTotals[]): Promise<void>;
  logger: Logger;
  /** The pause between two rounds. */
  everyMs?: number;
}

/** The maximum number of links in a `GetLinkTotals` request. */
export const LINKS_AT_A_TIME = 1_000;

/**
 * Reads the totals of at most 1,000 links from analytics-svc and writes them. Returns false if a replica of ClickHouse may
 * lag, so that they must be read again. Rejects with an `AppError`.
 */
export async function refreshTotals(
  linkIds: string[],
  { analytics, applyTotals }: Pick<TotalsRefresherOptions, 'analytics' | 'applyTotals'>,
  signal: AbortSignal,
): Promise<boolean> {
  const { totals, complete } = await getLinkTotals(analytics, linkIds, signal);
  if (totals.length > 0) await applyTotals(totals);
  return complete;
}

/**
 * Keeps `clicks` and `last_clicked_at` of links up to date. It asks analytics-svc for the totals of dirty links and
 * writes them as absolute values, so that no crash or repetition can make them drift. A link stays dirty until a
 * total that has all of its acknowledged clicks is written. `close` does one last round until the deadline.
 */
export function startTotalsRefresher(options: TotalsRefresherOptions): Running {
  const { spool, logger, everyMs = 2_000 } = options;
  const outage = new OutageLog(logger, "refreshing the links' click totals");
  const abort = new AbortController();
  const closing = new AbortController();

  /** Refreshes all dirty links. */
  async function refresh(): Promise<void> {
    for (let after = ''; ; ) {
      const links = spool.dirtyLinks(LINKS_AT_A_TIME, after);
      if (links.length === 0) return;
      const linkIds = links.map(({ linkId }) => linkId);
      if (await refreshTotals(linkIds, options, abort.signal)) spool.clearDirty(links);
      after = linkIds.at(-1)!;
    }
  }

  async function run(): Promise<void> {
    let failures = 0;
    while (!abort.signal.aborted) {
      const last = closing.signal.aborted;
      try {
        await refresh();
        failures = 0;
        outage.worked();
        if (last) return;
        await pause(everyMs, closing.signal);
      } catch (error) {
        if (abort.signal.aborted) return;
        failures += 1;
        outage.failed(error);
        await backoff(failures, last ? abort.signal : closing.signal);
      }
    }
  }

  const running = run();
  return {
    async close(deadlineMs) {
      closing.abort();
      await withTimeout(running, deadlineMs, 'the last refresh of click totals').catch(() => abort.abort());
      await running;
    },
  };
}
