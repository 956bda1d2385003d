import { type ClickSenderOptions, type Running, startClickSender } from './click-sender.ts';
import { startTotalsRefresher, type TotalsRefresherOptions } from './totals-refresher.ts';

const FLUSH_MAX_MS = 3_000;

/**
 * Starts sending clicks and refreshing click totals. `close` sends the remaining clicks and refreshes their totals,
 * for at most three seconds. Clicks that cannot be sent in this time stay in the spool.
 */
export function startClickJobs(
  options: Pick<ClickSenderOptions, 'spool' | 'analytics' | 'existingLinks' | 'logger'> &
    Pick<TotalsRefresherOptions, 'applyTotals'>,
): Running {
  const sender = startClickSender(options);
  const refresher = startTotalsRefresher(options);
  return {
    async close(deadlineMs) {
      const flushMs = Math.min(deadlineMs, FLUSH_MAX_MS);
      const endsAt = performance.now() + flushMs;
      await sender.close(flushMs);
      // The refresher closes last, because the clicks that were just sent change totals too.
      await refresher.close(Math.max(0, endsAt - performance.now()));
    },
  };
}
