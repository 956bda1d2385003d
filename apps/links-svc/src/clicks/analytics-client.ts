import { type analyticsV1, clicksToMessage, type GrpcClient, timeFromMessage } from '@waymark/proto';
import type { ClickBatch } from './spool.store.ts';

/** The connection of links-svc to analytics-svc. */
export interface AnalyticsConnection {
  client: Pick<GrpcClient<typeof analyticsV1.AnalyticsService>, 'recordClicks' | 'getLinkTotals'>;
  /** Returns a signed identity of links-svc itself. */
  identity(): Promise<string>;
}

/** The click totals of one link. */
export interface LinkTotals {
  linkId: string;
  clicks: number;
  lastClickedAt: Date;
}

/** Long enough for a batch to wait for ClickHouse. After this time the batch is sent again. */
const RECORD_TIMEOUT_MS = 15_000;
const TOTALS_TIMEOUT_MS = 5_000;

/** Sends a batch and resolves once the database of analytics-svc has stored it. Rejects with an `AppError`. */
export async function recordClicks(
  analytics: AnalyticsConnection,
  batch: ClickBatch,
  signal: AbortSignal,
): Promise<void> {
  await analytics.client.recordClicks(
    { batchToken: batch.token, clicks: clicksToMessage(batch.clicks), maybeStored: batch.maybeStored },
    { timeoutMs: RECORD_TIMEOUT_MS, identity: await analytics.identity(), signal },
  );
}

/**
 * Returns the totals of at most 1,000 links, and whether they have every click that was acknowledged before. Links without
 * a counted click are missing. Rejects with an `AppError`.
 */
export async function getLinkTotals(
  analytics: AnalyticsConnection,
  linkIds: string[],
  signal: AbortSignal,
): Promise<{ totals: LinkTotals[]; complete: boolean }> {
  const { totals: found, complete } = await analytics.client.getLinkTotals(
    { linkIds },
    { timeoutMs: TOTALS_TIMEOUT_MS, identity: await analytics.identity(), signal },
  );
  const totals = found.flatMap(({ linkId, clicks, lastClickedAt }) =>
    lastClickedAt === undefined
      ? []
      : [{ linkId, clicks: Number(clicks), lastClickedAt: timeFromMessage(lastClickedAt) }],
  );
  return { totals, complete };
}
