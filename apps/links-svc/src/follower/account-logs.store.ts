import type { ClientSession } from 'mongodb';
import type { Database, Reading } from '../database/database.ts';
import type { AccountDocument } from '../database/documents/account.ts';
import { BOUNDED } from '../database/operation-options.ts';
import type { LoggedChange, LogPosition } from '../events/event.ts';
import type { EventsStore } from '../events/events.store.ts';
import { eventsSince } from './log-position.ts';

/** An account as those see it that follow its log. */
export type FollowedAccount = LogPosition &
  Pick<AccountDocument, 'hidden_change_id' | 'events_key' | 'counts' | 'deleting_at'>;

const FOLLOWED = {
  projection: { revision: 1, change_id: 1, hidden_change_id: 1, events_key: 1, counts: 1, deleting_at: 1 },
};

/**
 * The logs of accounts, for what follows one only when it is asked: search texts and hidden links, and whatever stores
 * the position up to which it followed.
 */
export class AccountLogs {
  readonly #database: Database;
  readonly #events: EventsStore;

  constructor(database: Database, events: EventsStore) {
    this.#database = database;
    this.#events = events;
  }

  /**
   * Returns an account as it is now, or as it is in the snapshot of a session, or null if it does not exist. Rejects with
   * `unavailable` in an outage.
   */
  find(accountId: string, session?: ClientSession): Promise<FollowedAccount | null> {
    return this.#database.run(() =>
      this.#database.collections.accounts.findOne<FollowedAccount>(
        { _id: accountId },
        { ...FOLLOWED, ...BOUNDED, ...(session && { session }) },
      ),
    );
  }

  /**
   * Opens a snapshot of an account and its log, no older than what {@link find} returned before. Close it. Returns null
   * if there is no such account.
   * @throws {AppError} `unavailable` in an outage.
   */
  async open(accountId: string): Promise<AccountLog | null> {
    const reading = await this.#database.openSnapshot();
    let account: FollowedAccount | null = null;
    try {
      account = await this.find(accountId, reading.session);
    } finally {
      if (account === null) reading.end('done');
    }
    return account && new AccountLog(accountId, account, reading, this.#events);
  }
}

/** One account and its log in one snapshot. */
export class AccountLog {
  readonly accountId: string;
  readonly #events: EventsStore;
  readonly account: FollowedAccount;
  /** Read with it what belongs to the account. */
  readonly reading: Reading;

  constructor(accountId: string, account: FollowedAccount, reading: Reading, events: EventsStore) {
    this.accountId = accountId;
    this.account = account;
    this.reading = reading;
    this.#events = events;
  }

  /** Returns the events since a known position, or null if whoever follows must begin again ({@link eventsSince}). */
  async eventsSince(known: LogPosition, max: number): Promise<LoggedChange[] | null> {
    const events = await eventsSince(known, this.account, max, (after, upTo) =>
      this.#events.between(this.accountId, after, upTo, this.reading.session),
    );
    return Array.isArray(events) ? events : null;
  }

  close(): void {
    this.reading.end('done');
  }
}
