import type { AccountDraft } from '../changes/account-draft.ts';
import type { ChangeQueue } from '../changes/change-queue.ts';
import { type LinkExpiryDocument, linkExpiryOf } from '../database/documents/link-expiry.ts';
import { SYSTEM } from '../events/actor.ts';
import { appendLinkEvent, LINK_CHANGE_BYTES } from '../links/link-changes.ts';
import type { LinkExpiriesStore } from './link-expiries.store.ts';

export interface LinkExpiriesDeps {
  expiries: Pick<LinkExpiriesStore, 'due'>;
  changes: Pick<ChangeQueue, 'run'>;
  /** The clock, in milliseconds. */
  now(): number;
}

/** Few, because requests wait behind them in the queue of changes. */
const LINKS_AT_A_TIME = 100;

/**
 * Adds `link.expired` to the log for each link whose `expires_at` has passed, once for each value that a client set. The
 * transaction of the event removes the document that asked for it.
 */
export class LinkExpiries {
  readonly #deps: LinkExpiriesDeps;

  constructor(deps: LinkExpiriesDeps) {
    this.#deps = deps;
  }

  /** Deals with all links that have expired, until `ending` aborts. Rejects in an outage. */
  async run(ending: AbortSignal): Promise<void> {
    const { expiries, now } = this.#deps;
    while (!ending.aborted) {
      const due = await expiries.due(new Date(now()), LINKS_AT_A_TIME);
      if (due.length === 0) return;
      const accounts = new Map<string, LinkExpiryDocument[]>();
      for (const one of due) accounts.set(one.account_id, [...(accounts.get(one.account_id) ?? []), one]);
      await Promise.all([...accounts].map(([accountId, some]) => this.#expire(accountId, some)));
    }
  }

  async #expire(accountId: string, due: readonly LinkExpiryDocument[]): Promise<void> {
    await this.#deps.changes.run({
      accountId,
      size: due.length,
      bytes: due.length * LINK_CHANGE_BYTES,
      // Or those of an account that is being deleted would come first until it is gone.
      evenIfDeleting: true,
      reads: () => ({ links: due.map(({ link_id }) => link_id), linkExpiries: due.map(({ _id }) => _id) }),
      decide: (draft) => {
        for (const one of due) expire(draft, one);
      },
    });
  }
}

function expire(draft: AccountDraft, { _id, link_id }: LinkExpiryDocument): void {
  const { links, linkExpiries } = draft.documents;
  // Another replica was first.
  if (linkExpiries.get(_id) === null) return;
  linkExpiries.remove(_id);
  const link = links.get(link_id);
  if (link !== null && linkExpiryOf(link)?._id === _id)
    appendLinkEvent(draft, { type: 'link.expired', actor: SYSTEM, link });
}
