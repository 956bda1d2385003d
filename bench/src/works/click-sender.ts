import { randomUUID } from 'node:crypto';
import { analyticsV1, clicksToMessage, createGrpcClient } from '@waymark/proto';
import { newClicks } from '../data/new-clicks.ts';
import type { World } from '../world.ts';

/** Batches that analytics-svc stores concurrently. */
export const BATCHES_AT_ONCE = 4;
const TIMEOUT_MS = 15_000;

/**
 * Sends batches of new clicks to analytics-svc over gRPC, as links-svc does. A call rejects if not all clicks are
 * counted.
 */
export function clickSender(world: World, linkIds: readonly string[]): (count: number) => Promise<void> {
  const client = createGrpcClient(analyticsV1.AnalyticsService, { address: world.stack.urls.analyticsGrpc });
  world.onClose(() => client.close());
  return async (count) => {
    const identity = await world.serviceIdentity('links-svc');
    const { counted } = await client.recordClicks(
      { batchToken: randomUUID(), clicks: clicksToMessage(newClicks(linkIds, count)), maybeStored: false },
      { timeoutMs: TIMEOUT_MS, identity },
    );
    if (counted !== count) throw new Error(`${counted} of ${count} clicks were counted`);
  };
}
