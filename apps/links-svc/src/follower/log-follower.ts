import { atMostEntries } from '@waymark/service-kit';
import { LRUCache } from 'lru-cache';
import {
  type ChangedAccount,
  type ChangePosition,
  type LoggedChange,
  type LogPosition,
  positionOf,
} from '../events/event.ts';
import { eventsSince } from './log-position.ts';

/** What the follower reads, in one snapshot of the database. Each method rejects in an outage. */
export interface LogSource {
  /** Returns the account that changed last, or null. */
  lastChanged(): Promise<ChangedAccount | null>;
  /** Returns up to `limit` accounts after a position, in the order of their changes and ids. */
  changedAfter(after: ChangePosition, limit: number): Promise<ChangedAccount[]>;
  /** Returns the events of an account after a revision up to another one. Those that have expired are missing. */
  eventsBetween(accountId: string, after: number, upTo: number): Promise<LoggedChange[]>;
}

/** Keeps something in memory that follows the logs of all accounts. */
export interface LogConsumer {
  /** These events are all that happened to the account since the last call. */
  apply(accountId: string, events: readonly LoggedChange[]): void;
  /** Whatever is known of the account, or of all of them, may be old. */
  beginAgain(accountId: string | 'all'): void;
}

export interface LogFollowerOptions {
  /** Opens a snapshot as of now, and closes it when the reads have ended. */
  inSnapshot: (read: (source: LogSource) => Promise<void>) => Promise<void>;
  consumers: readonly LogConsumer[];
  /** A clock that is never set, in milliseconds. Default: `performance.now`. */
  now?: () => number;
}

/** How often to call {@link LogFollower.poll}: well within the 2 seconds in which other replicas must show a change. */
export const POLL_EVERY_MS = 500;
/**
 * Accounts that changed so long before the last known change are looked at again, because transactions commit in another
 * order than their times. It is longer than a transaction can be open (docs/operations.md,
 * transactionLifetimeLimitSeconds: ten seconds, and MongoDB may look only five seconds later): none commits later. With
 * a longer limit, a redirect could be stale until its entry's own age ends.
 */
const OVERLAP_MS = 20_000;
/** If an account has more new events, its consumers begin again instead. */
const EVENTS_MAX = 1_000;
const ACCOUNTS_AT_A_TIME = 1_000;
const ACCOUNTS_MAX = 100_000;

/**
 * Follows the logs of all accounts, whichever replica writes them (ADR 50). Each consumer gets all events of an account
 * since the last call, or begins again ({@link eventsSince}).
 */
export class LogFollower {
  readonly #options: LogFollowerOptions;
  readonly #now: () => number;
  /** The last known position of each account. */
  readonly #positions = new LRUCache<string, LogPosition>(atMostEntries(ACCOUNTS_MAX));
  /** What was read of these accounts before this time may be old. */
  readonly #staleBefore = new LRUCache<string, number>({
    ...atMostEntries(ACCOUNTS_MAX),
    dispose: (time, _accountId, reason) => {
      if (reason === 'evict') this.#allStaleBefore = Math.max(this.#allStaleBefore, time);
    },
  });
  /** What was read of any account before this time may be old. */
  #allStaleBefore = Number.NEGATIVE_INFINITY;
  /** The latest known change. */
  #latest: ChangePosition | undefined;
  /** The accounts that were skipped since the poll began: what the poll reads of them may be older. */
  readonly #changedHere = new Set<string>();
  /** From this time on, no change has been missed. */
  #followedSince = Number.POSITIVE_INFINITY;
  /** Each change that was committed before this time is known. */
  #followedUntil = Number.NEGATIVE_INFINITY;

  constructor(options: LogFollowerOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
  }

  /** Returns true if what was read of the account by a query sent at this time may have changed since, in unknown ways. */
  isStale(accountId: string, readAt: number): boolean {
    return readAt < this.#allStaleBefore || readAt < (this.#staleBefore.get(accountId) ?? Number.NEGATIVE_INFINITY);
  }

  /** Returns the time until which what a query sent at this time read, is not stale and no event names, is true. */
  trueUntil(readAt: number): number {
    return readAt < this.#followedSince ? readAt : Math.max(readAt, this.#followedUntil);
  }

  /** Notes changes that this replica has applied already, so that it need not read their events. */
  skip({ accountId, before, after }: { accountId: string; before: LogPosition; after: LogPosition }): void {
    if (this.#positions.get(accountId)?.change_id !== before.change_id) return;
    this.#changedHere.add(accountId);
    this.#positions.set(accountId, after);
  }

  /** Looks for changes once. Rejects in an outage; the next poll looks at the same accounts, and reads no event again. */
  async poll(): Promise<void> {
    // The database sees each change that was committed before it was asked.
    const askedAt = this.#now();
    this.#changedHere.clear();
    const latest = this.#latest;
    await this.#options.inSnapshot((source) =>
      latest === undefined ? this.#beginAll(source) : this.#followAfter(source, latest),
    );
    this.#followedUntil = askedAt;
  }

  /** Begins at the account that changed last. */
  async #beginAll(source: LogSource): Promise<void> {
    const last = await source.lastChanged();
    // The database has answered: what was asked of it from now on is no older.
    const answeredAt = this.#now();
    this.#positions.clear();
    this.#staleBefore.clear();
    this.#allStaleBefore = answeredAt;
    this.#followedSince = Math.min(this.#followedSince, answeredAt);
    // Without a change so far, the next one is the first.
    this.#latest = { changedAt: last?.changed_at ?? new Date(0), accountId: last?._id ?? '' };
    if (last !== null) this.#positions.set(last._id, positionOf(last));
    for (const consumer of this.#options.consumers) consumer.beginAgain('all');
  }

  async #followAfter(source: LogSource, latest: ChangePosition): Promise<void> {
    let isLatestThere = latest.accountId === '';
    let newest = latest;
    let after: ChangePosition = { changedAt: new Date(latest.changedAt.getTime() - OVERLAP_MS), accountId: '' };
    for (;;) {
      const accounts = await source.changedAfter(after, ACCOUNTS_AT_A_TIME);
      const answeredAt = this.#now();
      for (const account of accounts) {
        isLatestThere ||= account._id === latest.accountId;
        if (!(await this.#follow(source, account, answeredAt))) return this.#beginAll(source);
        if (account.changed_at >= newest.changedAt) newest = { changedAt: account.changed_at, accountId: account._id };
      }
      const last = accounts.at(-1);
      if (last === undefined || accounts.length < ACCOUNTS_AT_A_TIME) break;
      after = { changedAt: last.changed_at, accountId: last._id };
    }
    // The account is gone, or a backup was restored, whose accounts changed before what was looked at.
    if (!isLatestThere) return this.#beginAll(source);
    // Not before: a poll that fails must not hide that the latest account is missing.
    this.#latest = newest;
  }

  /**
   * Gives the consumers what happened to an account, which was read before `answeredAt`. Returns false if a backup was
   * restored: then all accounts are older than they were.
   */
  async #follow(source: LogSource, account: ChangedAccount, answeredAt: number): Promise<boolean> {
    const { _id } = account;
    if (this.#isAhead(account)) return true;
    const known = this.#positions.get(_id);
    const events = await eventsSince(known, account, EVENTS_MAX, (after, upTo) =>
      source.eventsBetween(_id, after, upTo),
    );
    if (events === 'restored') return false;
    if (events === 'begin again') {
      this.#staleBefore.set(_id, answeredAt);
      for (const consumer of this.#options.consumers) consumer.beginAgain(_id);
    } else if (events.length > 0) for (const consumer of this.#options.consumers) consumer.apply(_id, events);
    if (!this.#isAhead(account)) this.#positions.set(_id, positionOf(account));
    return true;
  }

  /** Returns true if this replica has changed the account since the poll read it. */
  #isAhead({ _id, revision }: ChangedAccount): boolean {
    return this.#changedHere.has(_id) && (this.#positions.get(_id)?.revision ?? 0) > revision;
  }
}
