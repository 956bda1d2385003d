import { randomBytes, randomUUID } from 'node:crypto';
import { createSigner } from '@waymark/auth';
import { analyticsV1, clicksToMessage, createGrpcClient } from '@waymark/proto';
import { accounts, asAdmin, BROWSER, stack } from './world.ts';

/** Records clicks of an account's links with times of their own, as links-svc sends them. */
export async function recordClicks(username: string, clicks: readonly { linkId: string; at: Date }[]): Promise<void> {
  const { account } = await accounts.getAccount({ username }, await asAdmin());
  const rpc = createGrpcClient(analyticsV1.AnalyticsService, { address: stack.analyticsGrpc });
  const identity = await createSigner({ current: stack.signingKey }).mint({ kind: 'service', service: 'links-svc' });
  const reported = clicks.map(({ linkId, at }) => ({
    linkId,
    id: randomBytes(16).toString('hex'),
    accountId: account!.id,
    clickedAtMs: at.getTime(),
    userAgent: BROWSER,
    referrer: '',
    utmSource: '',
    country: '',
    visitor: randomBytes(8).toString('hex'),
    prefetch: false,
  }));
  await rpc.recordClicks(
    { batchToken: randomUUID(), clicks: clicksToMessage(reported), maybeStored: false },
    { timeoutMs: 15_000, identity },
  );
  rpc.close();
}
