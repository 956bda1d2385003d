import type { ChangeQueue } from '../changes/change-queue.ts';
import type { ClickLimitDocument } from '../database/documents/click-limit.ts';
import { expireByClicks, LINK_CHANGE_BYTES } from '../links/link-changes.ts';
import type { ClickLimitsStore } from './click-limits.store.ts';

export interface SpentLimitsDeps {
  limits: Pick<ClickLimitsStore, 'spent'>;
  changes: Pick<ChangeQueue, 'run'>;
}

const LINKS_AT_A_TIME = 100;

/** Makes links expire of whose `max_clicks` nothing is left. */
export class SpentLimits {
  readonly #deps: SpentLimitsDeps;

  constructor(deps: SpentLimitsDeps) {
    this.#deps = deps;
  }

  /** Deals with all limits of which a replica that was killed has left nothing, until `ending` aborts. Rejects in an outage. */
  async run(ending: AbortSignal): Promise<void> {
    while (!ending.aborted) {
      const spent = await this.#deps.limits.spent(LINKS_AT_A_TIME);
      if (spent.length === 0) return;
      await Promise.all(spent.map((limit) => this.expire(limit)));
    }
  }

  /** Makes the link of such a limit expire, unless that is done already. Rejects in an outage. */
  expire(limit: ClickLimitDocument): Promise<void> {
    return this.#deps.changes.run({
      accountId: limit.account_id,
      size: 1,
      bytes: LINK_CHANGE_BYTES,
      // Or those of an account that is being deleted would come first until it is gone.
      evenIfDeleting: true,
      reads: () => ({ links: [limit.link_id], clickLimits: [limit._id] }),
      decide: (draft) => expireByClicks(draft, limit),
    });
  }
}
