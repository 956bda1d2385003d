import { type Caller, requireAccount, requireService } from '@waymark/auth';
import { AnalyticsQuery, AppError, validator } from '@waymark/contract';
import { analyticsQuery, analyticsToMessage, type analyticsV1, type Implementation } from '@waymark/proto';
import type { AnalyticsService } from './analytics/analytics.service.ts';
import type { RawClick } from './clicks/click.ts';
import type { ClicksService } from './clicks/clicks.service.ts';
import type { PurgeStore } from './purge/purge.store.ts';
import type { TotalsStore } from './totals/totals.store.ts';

export interface RpcDeps {
  analytics: AnalyticsService;
  clicks: ClicksService;
  totals: TotalsStore;
  purge: PurgeStore;
  /** Throws `unavailable` while the database is not ready. */
  requireReady(): void;
}

/** Far more than links-svc sends, and far less than ClickHouse takes in one block. */
const BATCH_CLICKS_MAX = 50_000;
const LINKS_MAX = 1_000;
/** What ClickHouse's DateTime can hold. */
const CLICKED_AT_MAX_MS = 0xffff_ffff * 1000;
const readQuery = validator(AnalyticsQuery);

/** The gRPC door: `analytics.v1.AnalyticsService`. */
export function analyticsServiceRpc(deps: RpcDeps): Implementation<typeof analyticsV1.AnalyticsService, Caller> {
  return {
    async recordClicks({ batchToken, maybeStored, clicks }, { caller, signal }) {
      requireService(caller.identity, 'links-svc');
      if (batchToken === '') throw new AppError('invalid', '"batch_token" is required.');
      requireAtMost('clicks', clicks, BATCH_CLICKS_MAX);
      deps.requireReady();
      return deps.clicks.record({ token: batchToken, maybeStored, clicks: clicks.map(readClick) }, signal);
    },
    async getAnalytics(request, { caller, requestId, signal }) {
      const identity = requireAccount(caller.identity);
      const query = readQuery(analyticsQuery(request));
      deps.requireReady();
      return analyticsToMessage(await deps.analytics.get(query, { identity, token: caller.token, requestId }, signal));
    },
    async getLinkTotals({ linkIds }, { caller, signal }) {
      requireService(caller.identity, 'links-svc');
      requireAtMost('link_ids', linkIds, LINKS_MAX);
      deps.requireReady();
      const totals = await deps.totals.findByLinks(linkIds, signal);
      return {
        totals: totals.map(({ linkId, clicks, lastClickedAtMs }) => ({
          linkId,
          clicks: BigInt(clicks),
          lastClickedAt: {
            seconds: BigInt(Math.floor(lastClickedAtMs / 1000)),
            nanos: (lastClickedAtMs % 1000) * 1_000_000,
          },
        })),
      };
    },
    async purgeLinks({ accountId, linkIds }, { caller, signal }) {
      requireService(caller.identity, 'links-svc');
      if (accountId === '') throw new AppError('invalid', '"account_id" is required.');
      requireAtMost('link_ids', linkIds, LINKS_MAX);
      deps.requireReady();
      await deps.purge.purge(accountId, linkIds, signal);
      return {};
    },
  };
}

function requireAtMost(name: string, items: readonly unknown[], max: number): void {
  if (items.length > max)
    throw new AppError('invalid', `"${name}" must have at most ${max} items; you sent ${items.length}.`);
}

const UUID_BYTES = 16;

function readClick(click: analyticsV1.Click, index: number): RawClick {
  const { id, accountId, linkId, clickedAt } = click;
  const clickedAtMs =
    clickedAt === undefined ? Number.NaN : Number(clickedAt.seconds) * 1000 + Math.floor(clickedAt.nanos / 1_000_000);
  if (
    id.length !== UUID_BYTES ||
    accountId === '' ||
    linkId === '' ||
    !(clickedAtMs >= 0 && clickedAtMs <= CLICKED_AT_MAX_MS)
  )
    throw new AppError('invalid', `"clicks[${index}]" must have an id of 16 bytes, an account, a link and a time.`);
  return {
    id: uuidOf(id),
    accountId,
    linkId,
    clickedAtMs,
    userAgent: click.userAgent,
    referrer: click.referrer,
    utmSource: click.utmSource,
    prefetch: click.prefetch,
  };
}

function uuidOf(bytes: Uint8Array): string {
  const hex = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
