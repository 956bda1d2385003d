import { type analyticsV1, clicksToMessage, type GrpcClient, timeFromMessage } from '@waymark/proto';
import type { ClickBatch } from './click-queue.ts';

/** How links-svc speaks to analytics-svc. */
export interface AnalyticsSister {
  client: Pick<GrpcClient<typeof analyticsV1.AnalyticsService>, 'recordClicks' | 'getLinkTotals'>;
  /** The signed identity of links-svc itself. */
  identity(): Promise<string>;
}

/** All clicks of a link so far. */
export interface LinkTotals {
  linkId: string;
  clicks: number;
  lastClickedAt: Date;
}

/** A batch may wait for the database to take it; longer than that and it is sent again. */
const RECORD_TIMEOUT_MS = 15_000;
const TOTALS_TIMEOUT_MS = 5_000;

/** Sends a batch; resolves once analytics-svc's database has it. Rejects with an `AppError`. */
export async function recordClicks(sister: AnalyticsSister, batch: ClickBatch, signal: AbortSignal): Promise<void> {
  await sister.client.recordClicks(
    { batchToken: batch.token, clicks: clicksToMessage(batch.clicks), maybeStored: batch.maybeSent },
    { timeoutMs: RECORD_TIMEOUT_MS, identity: await sister.identity(), signal },
  );
}

/** The totals of links, at most 1,000; one without a counted click is missing. Rejects with an `AppError`. */
export async function getLinkTotals(
  sister: AnalyticsSister,
  linkIds: string[],
  signal: AbortSignal,
): Promise<LinkTotals[]> {
  const { totals } = await sister.client.getLinkTotals(
    { linkIds },
    { timeoutMs: TOTALS_TIMEOUT_MS, identity: await sister.identity(), signal },
  );
  return totals.flatMap(({ linkId, clicks, lastClickedAt }) =>
    lastClickedAt === undefined
      ? []
      : [{ linkId, clicks: Number(clicks), lastClickedAt: timeFromMessage(lastClickedAt) }],
  );
}
