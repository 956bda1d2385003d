import { setTimeout as sleep } from 'node:timers/promises';
import { freedNameKey, noAccount } from '../accounts/account.ts';
import type { AccountsStore } from '../accounts/accounts.store.ts';
import type { ChangeQueue } from '../changes/change-queue.ts';
import type { AccountDocument } from '../database/documents/account.ts';
import type { LinksService } from '../links/links.service.ts';

export interface AccountDeletionsDeps {
  accounts: Pick<AccountsStore, 'find' | 'findById' | 'listDeleting' | 'freeName' | 'forget'>;
  links: Pick<LinksService, 'deleteSomeOf'>;
  /** The other stores of an account, in the order of removal. */
  others: readonly { deleteAllOf(accountId: string): Promise<void> }[];
  eventsLifetimeMs: number;
  changes: Pick<ChangeQueue, 'run'>;
}

/** So long after the beginning of a deletion, what requests that ran meanwhile have left is removed, too. */
const REMOVED_AGAIN_AFTER_MS = 300_000;
/** About how many bytes the beginning of a deletion writes. */
const CHANGE_BYTES = 4_096;
/** After this many pieces of its links, the next account has its turn. */
const PIECES_AT_A_TIME = 10;
const FIRST_LOOK_MS = 20;
const LOOK_MAX_MS = 250;

/** The deletion of accounts with all that they have. One replica does them all (`sweep`), whoever began them. */
export class AccountDeletions {
  readonly #deps: AccountDeletionsDeps;

  constructor(deps: AccountDeletionsDeps) {
    this.#deps = deps;
  }

  /**
   * Ends the keys of an account at once, and waits until its links and the rest are gone and its name is free. If `signal`
   * aborts meanwhile, the deletion goes on.
   * @throws {AppError} `not_found`. The reason of `signal`.
   */
  async delete(username: string, signal: AbortSignal): Promise<void> {
    const { accounts, changes } = this.#deps;
    const found = await accounts.find(username);
    if (found === null) throw noAccount({ username });
    const { _id } = found;
    await changes.run({
      accountId: _id,
      size: 1,
      bytes: CHANGE_BYTES,
      evenIfDeleting: true,
      reads: () => ({}),
      decide: (draft) => draft.set({ keys: [], deleting_at: draft.account.deleting_at ?? draft.now }),
    });
    for (let pauseMs = FIRST_LOOK_MS; ; pauseMs = Math.min(2 * pauseMs, LOOK_MAX_MS)) {
      const account = await accounts.findById(_id);
      if (account === null || isRemoved(account)) return;
      await sleep(pauseMs);
      signal.throwIfAborted();
    }
  }

  /**
   * Removes what accounts have whose deletion has begun, and forgets the accounts a while later, until nothing is left to
   * do or `ending` aborts. An account whose removal fails delays no other one.
   * @throws the first error.
   */
  async sweep(now: Date, ending: AbortSignal): Promise<void> {
    const { accounts } = this.#deps;
    for (let isDone = false; !isDone; ) {
      isDone = true;
      const errors: unknown[] = [];
      for (const account of await accounts.listDeleting()) {
        if (ending.aborted) return;
        try {
          if (!(await this.#removeSomeOf(account, now))) isDone = false;
        } catch (error) {
          errors.push(error);
        }
      }
      if (errors.length > 0) throw errors[0];
    }
  }

  /** Removes a part of what an account has, so that others have their turn. Returns false if there is more. */
  async #removeSomeOf(account: AccountDocument, now: Date): Promise<boolean> {
    const { accounts, links, others, eventsLifetimeMs } = this.#deps;
    const { _id, deleting_at } = account;
    const isOld = deleting_at!.getTime() + REMOVED_AGAIN_AFTER_MS <= now.getTime();
    if (isRemoved(account) && !isOld) return true;
    for (let pieces = 0; await links.deleteSomeOf(_id); pieces++) if (pieces === PIECES_AT_A_TIME) return false;
    for (const other of others) await other.deleteAllOf(_id);
    await accounts.freeName(_id);
    // As long as its events would have been kept.
    if (isOld) await accounts.forget(_id, new Date(now.getTime() + eventsLifetimeMs));
    return true;
  }
}

/** Returns true if only the document is left. */
function isRemoved({ _id, username_key }: AccountDocument): boolean {
  return username_key === freedNameKey(_id);
}
