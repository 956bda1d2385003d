import { LRUCache } from 'lru-cache';
import type { AccountDocument } from '../database/documents/account.ts';
import type { AccountDraft } from './account-draft.ts';

/** How many accounts are known at most. One takes a few kilobytes. */
const ACCOUNTS_MAX = 256;

/** An account as this replica wrote it last. */
export interface KnownAccount {
  account: AccountDocument;
  /** True if nobody else wrote it between the last two writes of this replica. */
  isOwn: boolean;
}

/**
 * The accounts that this replica wrote last, so that it need not read them for the next change. Another writer may have
 * been there since, so only the next write proves that an account is as it is known (`write_id`). An account that others
 * write, too, would be wrong as often as right: it is read until this replica has written it twice in a row.
 */
export class KnownAccounts {
  readonly #known = new LRUCache<string, KnownAccount>({ max: ACCOUNTS_MAX });

  /** Returns what is known of these accounts, and forgets it: it is known again once a write proves it. */
  take(accountIds: Iterable<string>): Map<string, KnownAccount> {
    const taken = new Map<string, KnownAccount>();
    for (const id of accountIds) {
      const known = this.#known.get(id);
      if (known !== undefined) taken.set(id, known);
      this.#known.delete(id);
    }
    return taken;
  }

  /** Notes what a committed transaction wrote. `last` is what was known of the account before. */
  add({ before, after }: AccountDraft, last: KnownAccount | undefined): void {
    this.#known.set(after._id, { account: after, isOwn: last?.account.write_id === before.write_id });
  }
}
