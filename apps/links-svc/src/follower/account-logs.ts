import type { ClientSession } from 'mongodb';
import type { Database } from '../database/database.ts';
import type { AccountDocument } from '../database/documents/account.ts';
import { BOUNDED } from '../database/operation-options.ts';
import type { LoggedChange } from '../events/event.ts';
import type { EventsStore } from '../events/events.store.ts';
import { eventsSince } from './log-position.ts';

/** An account as those see it that follow its log. */
export type FollowedAccount = Pick<AccountDocument, 'revision' | 'hidden_revision' | 'counts' | 'deleting_at'>;

const FOLLOWED = { projection: { revision: 1, hidden_revision: 1, counts: 1, deleting_at: 1 } };

/**
 * The logs of accounts, for what follows one only when it is asked: search texts and hidden links, and whatever stores
 * the revision up to which it followed.
 */
export class AccountLogs {
  readonly #database: Database;
  readonly #events: EventsStore;

  constructor(database: Database, events: EventsStore) {
    this.#database = database;
    this.#events = events;
  }

  /** Returns the present revision of an account, zero if there is none. Rejects with `unavailable` in an outage. */
  async revisionOf(accountId: string): Promise<number> {
    return (await this.#find(accountId))?.revision ?? 0;
  }

  /**
   * Opens a snapshot of an account and its log, as of now. Close it. Returns null if there is no such account.
   * @throws {AppError} `unavailable` in an outage.
   */
  async open(accountId: string): Promise<AccountLog | null> {
    // What a snapshot of several shards shows is no older than what this process has seen of one.
    if ((await this.#find(accountId)) === null) return null;
    const session = await this.#database.openSnapshot();
    try {
      const account = await this.#find(accountId, session);
      if (account !== null) return new AccountLog(accountId, account, session, this.#events);
    } catch (error) {
      await session.endSession();
      throw error;
    }
    await session.endSession();
    return null;
  }

  #find(accountId: string, session?: ClientSession): Promise<FollowedAccount | null> {
    return this.#database.run(() =>
      this.#database.collections.accounts.findOne<FollowedAccount>(
        { _id: accountId },
        { ...FOLLOWED, ...BOUNDED, ...(session && { session }) },
      ),
    );
  }
}

/** One account and its log in one snapshot. */
export class AccountLog {
  readonly #accountId: string;
  readonly #events: EventsStore;
  readonly account: FollowedAccount;
  /** Read with it what belongs to the account. */
  readonly session: ClientSession;

  constructor(accountId: string, account: FollowedAccount, session: ClientSession, events: EventsStore) {
    this.#accountId = accountId;
    this.account = account;
    this.session = session;
    this.#events = events;
  }

  /** Returns the events since a known revision, or null if whoever follows must begin again ({@link eventsSince}). */
  eventsSince(known: number | undefined, max: number): Promise<LoggedChange[] | null> {
    return eventsSince(known, this.account, max, (after, upTo) =>
      this.#events.between(this.#accountId, after, upTo, this.session),
    );
  }

  async close(): Promise<void> {
    await this.session.endSession();
  }
}
