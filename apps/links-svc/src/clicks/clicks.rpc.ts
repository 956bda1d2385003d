import { type Caller, requireService } from '@waymark/auth';
import { AppError } from '@waymark/contract';
import type { clicksV1, Implementation } from '@waymark/proto';
import type { ClickSenderOptions } from './click-sender.ts';
import { LINKS_AT_A_TIME, refreshTotals, type TotalsRefresherOptions } from './totals-refresher.ts';

/** More than the links of a batch of clicks. */
const BATCH_LINKS_MAX = 20_000;

/** Implements `clicks.v1.ClicksService` for the command line. */
export function clicksRpc(
  options: Pick<TotalsRefresherOptions, 'analytics' | 'applyTotals'> & Pick<ClickSenderOptions, 'existingLinks'>,
): Implementation<typeof clicksV1.ClicksService, Caller> {
  return {
    existingLinks: async ({ linkIds }, { caller }) => {
      requireService(caller.identity, 'admin');
      if (linkIds.length > BATCH_LINKS_MAX)
        throw new AppError('invalid', `"link_ids" must have at most ${BATCH_LINKS_MAX} items.`);
      return { linkIds: await options.existingLinks(linkIds) };
    },
    refreshTotals: async ({ linkIds }, { caller, signal }) => {
      requireService(caller.identity, 'admin');
      if (linkIds.length > LINKS_AT_A_TIME)
        throw new AppError('invalid', `"link_ids" must have at most ${LINKS_AT_A_TIME} items.`);
      await refreshTotals(linkIds, options, signal);
      return {};
    },
  };
}
