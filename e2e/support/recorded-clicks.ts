import { randomBytes, randomUUID } from 'node:crypto';
import { createSigner } from '@waymark/auth';
import { analyticsV1, clicksToMessage, createGrpcClient, type ReportedClick } from '@waymark/proto';
import { accounts, asAdmin, BROWSER, stack } from './world.ts';

/** A click with a time of its own. `at` is a time that `Date` reads. */
export type RecordedClick = { linkId: string; at: Date | string } & Partial<
  Pick<ReportedClick, 'userAgent' | 'referrer' | 'country' | 'language' | 'utmCampaign'>
>;

/** Records clicks of an account's links, as links-svc sends them. */
export async function recordClicks(username: string, clicks: readonly RecordedClick[]): Promise<void> {
  const { account } = await accounts.getAccount({ username }, await asAdmin());
  const rpc = createGrpcClient(analyticsV1.AnalyticsService, { address: stack.analyticsGrpc });
  const identity = await createSigner({ current: stack.signingKey }).mint({ kind: 'service', service: 'links-svc' });
  const reported = clicks.map(({ at, ...click }) => ({
    userAgent: BROWSER,
    referrer: '',
    country: '',
    utmCampaign: '',
    language: '',
    ...click,
    id: randomBytes(16).toString('hex'),
    accountId: account!.id,
    clickedAtMs: new Date(at).getTime(),
    utmSource: '',
    utmMedium: '',
    utmContent: '',
    utmTerm: '',
    visitor: randomBytes(8).toString('hex'),
    host: '',
    prefetch: false,
  }));
  await rpc.recordClicks(
    { batchToken: randomUUID(), clicks: clicksToMessage(reported), maybeStored: false },
    { timeoutMs: 30_000, identity },
  );
  rpc.close();
}
