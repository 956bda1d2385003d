import { type Caller, requireAccount, requireService } from '@waymark/auth';
import { AnalyticsQuery, AppError, INTERNAL_MESSAGE, validator } from '@waymark/contract';
import {
  analyticsQuery,
  analyticsToMessage,
  type analyticsV1,
  type Implementation,
  rawClickToMessage,
  timeToMessage,
} from '@waymark/proto';
import type { AnalyticsService } from './analytics/analytics.service.ts';
import type { ClickLists } from './click-lists/click-lists.service.ts';
import type { ClicksService } from './clicks/clicks.service.ts';
import { readClicks } from './clicks/read-clicks.ts';
import type { PurgeStore } from './purge/purge.store.ts';
import type { TotalsStore } from './totals/totals.store.ts';

export interface RpcDeps {
  analytics: AnalyticsService;
  clicks: ClicksService;
  clickLists: ClickLists;
  totals: TotalsStore;
  purge: PurgeStore;
  /** Throws `unavailable` while the database is not ready. */
  requireReady(): void;
}

const LINKS_MAX = 1_000;
const LISTED_CLICKS_MAX = 500;
const PURGED_LINKS_MAX = 5_000;
const readQuery = validator(AnalyticsQuery);

/** Implements `analytics.v1.AnalyticsService`, the gRPC endpoint. */
export function analyticsServiceRpc(deps: RpcDeps): Implementation<typeof analyticsV1.AnalyticsService, Caller> {
  return {
    async recordClicks({ batchToken, maybeStored, clicks }, { caller, signal }) {
      requireService(caller.identity, 'links-svc');
      if (batchToken === '') throw new AppError('invalid', '"batch_token" is required.');
      const batch = { token: batchToken, maybeStored, clicks: readClicks(clicks) };
      deps.requireReady();
      return deps.clicks.record(batch, signal);
    },
    async getAnalytics(request, { caller, requestId, signal }) {
      const identity = requireAccount(caller.identity);
      const query = readQuery(analyticsQuery(request));
      deps.requireReady();
      const found = await deps.analytics.get(query, { identity, token: caller.token, requestId }, signal);
      return analyticsToMessage(found, query.cross);
    },
    async listClicks({ after, limit, fromNow, upTo, last }, { caller, requestId, signal }) {
      const identity = requireAccount(caller.identity);
      if (last !== 0) requireListable('last', last);
      else if (!fromNow) requireListable('limit', limit);
      deps.requireReady();
      const viewer = { identity, token: caller.token, requestId };
      if (fromNow) return { next: await deps.clickLists.end(viewer, signal) };
      const query = {
        ...(after !== undefined && { after }),
        ...(upTo !== undefined && { upTo }),
        ...(last !== 0 && { last }),
      };
      const pages = deps.clickLists.pages(query, limit, viewer, signal);
      for await (const { clicks, ...page } of pages) return { ...page, clicks: clicks.map(rawClickToMessage) };
      throw new AppError('internal', INTERNAL_MESSAGE, { cause: new Error('there was no page of clicks') });
    },
    async getLinkTotals({ linkIds }, { caller, signal }) {
      requireService(caller.identity, 'links-svc');
      requireAtMost('link_ids', linkIds, LINKS_MAX);
      deps.requireReady();
      const { totals, complete } = await deps.totals.findByLinks(linkIds, signal);
      return {
        totals: totals.map(({ linkId, clicks, lastClickedAtMs }) => ({
          linkId,
          clicks: BigInt(clicks),
          lastClickedAt: timeToMessage(new Date(lastClickedAtMs)),
        })),
        complete,
      };
    },
    async purgeLinks({ links }, { caller, signal }) {
      requireService(caller.identity, 'links-svc');
      requireAtMost('links', links, PURGED_LINKS_MAX);
      if (links.some(({ accountId, linkId }) => accountId === '' || linkId === ''))
        throw new AppError('invalid', '"account_id" and "link_id" of each link are required.');
      deps.requireReady();
      return { done: await deps.purge.purge(links, signal) };
    },
  };
}

function requireListable(name: string, count: number): void {
  if (count < 1 || count > LISTED_CLICKS_MAX)
    throw new AppError('invalid', `"${name}" must be between 1 and ${LISTED_CLICKS_MAX}.`);
}

function requireAtMost(name: string, items: readonly unknown[], max: number): void {
  if (items.length > max)
    throw new AppError('invalid', `"${name}" must have at most ${max} items; you sent ${items.length}.`);
}
