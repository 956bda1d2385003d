import { type Caller, requireService } from '@waymark/auth';
import { AppError } from '@waymark/contract';
import type { clicksV1, Implementation } from '@waymark/proto';
import { LINKS_AT_A_TIME, refreshTotals, type TotalsRefresherOptions } from './totals-refresher.ts';

/** Implements `clicks.v1.ClicksService` for the command line. */
export function clicksRpc(
  options: Pick<TotalsRefresherOptions, 'analytics' | 'applyTotals'>,
): Implementation<typeof clicksV1.ClicksService, Caller> {
  return {
    refreshTotals: async ({ linkIds }, { caller, signal }) => {
      requireService(caller.identity, 'admin');
      if (linkIds.length > LINKS_AT_A_TIME)
        throw new AppError('invalid', `"link_ids" must have at most ${LINKS_AT_A_TIME} items.`);
      await refreshTotals(linkIds, options, signal);
      return {};
    },
  };
}
