import { LRUCache } from 'lru-cache';
import type { ChangedAccount } from '../accounts/account.ts';
import { eventId } from '../events/event.ts';

/** What polling reads. Each method rejects in an outage. */
export interface RedirectChangeSource {
  /** Returns the accounts that changed after a time of the database's clock, or the one that changed last. */
  changedAccounts(since: Date | undefined): Promise<ChangedAccount[]>;
  /** Returns the types and the redirects of the events with these ids. Events that have expired are missing. */
  redirectsOf(eventIds: readonly string[]): Promise<{ _id: string; type: string; redirect_ids?: string[] }[]>;
}

export interface RedirectChangesOptions {
  source: RedirectChangeSource;
  /** Receives the redirects that changed on any replica. */
  onRedirects(redirectIds: readonly string[]): void;
  /** Receives the accounts whose short hosts may have changed on any replica. */
  onHosts(accountIds: readonly string[]): void;
  /** Called if redirects of an account may have changed, but it is not known which. */
  onStale(): void;
  /** The clock, in milliseconds. */
  now?: () => number;
}

/** How often to call {@link RedirectChanges.poll}: well within the 2 seconds in which other replicas must show a change. */
export const POLL_EVERY_MS = 500;
/**
 * Accounts that changed so long before the last known change are looked at again, because transactions end in another
 * order than their times. If it is too short, a redirect is stale until its entry's own age ends.
 */
const OVERLAP_MS = 10_000;
/** If an account has more new events, all of its redirects are forgotten instead. */
const EVENTS_MAX = 1_000;
const ACCOUNTS_MAX = 100_000;

/**
 * Polls the logs of all accounts for redirects that changed on any replica, and tells which cached ones can be trusted
 * (ADR 50). Times are milliseconds of `now`, except those of the database's clock.
 */
export class RedirectChanges {
  readonly #options: RedirectChangesOptions;
  readonly #now: () => number;
  /** The last known revision of each account. */
  readonly #revisions = new LRUCache<string, number>({ max: ACCOUNTS_MAX });
  /** Redirects of these accounts that were read before this time cannot be trusted. */
  readonly #staleBefore = new LRUCache<string, number>({ max: ACCOUNTS_MAX });
  /** The latest known change, by the database's clock. */
  #latest: Date | undefined;
  /** From this time on, no change has been missed. */
  #polledSince = Number.POSITIVE_INFINITY;
  #polledAt = Number.NEGATIVE_INFINITY;

  constructor(options: RedirectChangesOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
  }

  /** Returns true if the account's redirects that were read at this time may have changed since. */
  isStale(accountId: string, readAt: number): boolean {
    return readAt < (this.#staleBefore.get(accountId) ?? Number.NEGATIVE_INFINITY);
  }

  /** Returns the time until which a redirect that was read at this time, and is cached and not stale, is known to be true. */
  trueUntil(readAt: number): number {
    return readAt < this.#polledSince ? readAt : Math.max(readAt, this.#polledAt);
  }

  /** Notes changes whose redirects this replica has forgotten already, so that it need not read their events. */
  skip({ accountId, before, after }: { accountId: string; before: number; after: number }): void {
    if (this.#revisions.get(accountId) === before) this.#revisions.set(accountId, after);
  }

  /** Looks for changes once. Rejects in an outage, which is harmless: the next poll finds them. */
  async poll(): Promise<void> {
    const polledAt = this.#now();
    const since = this.#latest === undefined ? undefined : new Date(this.#latest.getTime() - OVERLAP_MS);
    const accounts = await this.#options.source.changedAccounts(since);
    const newEvents = new Map<string, string>();
    const stale: string[] = [];
    for (const { _id, revision, deleting_at } of accounts) {
      const known = this.#revisions.get(_id);
      if (deleting_at !== undefined || known === undefined || revision - known > EVENTS_MAX) stale.push(_id);
      else for (let next = known + 1; next <= revision; next++) newEvents.set(eventId(_id, next), _id);
    }
    const redirectIds: string[] = [];
    const withHosts: string[] = [];
    for (const ids of inParts([...newEvents.keys()], EVENTS_MAX)) {
      for (const { _id, type, redirect_ids = [] } of await this.#options.source.redirectsOf(ids)) {
        if (type.startsWith('host.')) withHosts.push(newEvents.get(_id)!);
        newEvents.delete(_id);
        redirectIds.push(...redirect_ids);
      }
    }
    // What is left are accounts with an event that has expired.
    stale.push(...newEvents.values());
    for (const accountId of stale) this.#staleBefore.set(accountId, polledAt);
    if (stale.length > 0) this.#options.onStale();
    this.#options.onHosts([...withHosts, ...stale]);
    this.#options.onRedirects(redirectIds);
    for (const { _id, revision, changed_at } of accounts) {
      // This replica may have changed it meanwhile.
      this.#revisions.set(_id, Math.max(revision, this.#revisions.get(_id) ?? 0));
      if (this.#latest === undefined || changed_at > this.#latest) this.#latest = changed_at;
    }
    // Without a change so far, the next one is the first.
    this.#latest ??= new Date(0);
    this.#polledSince = Math.min(this.#polledSince, polledAt);
    this.#polledAt = polledAt;
  }
}

function* inParts<Item>(items: readonly Item[], size: number): Generator<Item[]> {
  for (let from = 0; from < items.length; from += size) yield items.slice(from, from + size);
}
