import type { ReleasedHostDocument } from '../database/documents/released-host.ts';
import type { LoggedChange } from '../events/event.ts';
import type { LogConsumer } from '../follower/log-follower.ts';
import type { FoundHost, HostsStore } from './hosts.store.ts';

/** A short host that redirects. */
export interface VerifiedHost {
  id: string;
  name: string;
  accountId: string;
  rootUrl: string | null;
  notFoundUrl: string | null;
}

/**
 * All verified hosts of the installation, in memory, and the names that an account waits for, has lost or has deleted. What
 * is known stays while the database is away.
 */
export class VerifiedHosts implements LogConsumer {
  readonly #store: Pick<HostsStore, 'found' | 'released'>;
  readonly #now: () => number;
  /** The hosts of all accounts. */
  #found: readonly FoundHost[] = [];
  /** The names that all accounts have deleted. */
  #released: readonly ReleasedHostDocument[] = [];
  #hosts: ReadonlyMap<string, VerifiedHost> = new Map();
  /** Each name that an account has or had, with the time until which nobody else's links are served there. */
  #claimedUntil: ReadonlyMap<string, number> = new Map();
  /** The accounts that have one. */
  #accountIds: ReadonlySet<string> = new Set();
  /** The accounts whose hosts must be read again. */
  #stale: Set<string> | 'all' = 'all';
  #isLoaded = false;
  #refreshing = Promise.resolve();

  constructor(store: Pick<HostsStore, 'found' | 'released'>, now: () => number) {
    this.#store = store;
    this.#now = now;
  }

  /** Returns the verified host of this name (`hostOf`). */
  find(name: string): VerifiedHost | undefined {
    return this.#hosts.get(name);
  }

  /** Returns true if an account has the name, verified or not, or deleted it lately. */
  isClaimed(name: string): boolean {
    return (this.#claimedUntil.get(name) ?? 0) > this.#now();
  }

  /** Returns true if an account has a verified host. */
  isHolder(accountId: string): boolean {
    return this.#accountIds.has(accountId);
  }

  /** Notes that hosts of these accounts may have changed: the next `refresh` reads them. */
  expire(accountIds: readonly string[]): void {
    if (this.#stale !== 'all') for (const id of accountIds) this.#stale.add(id);
  }

  /** Notes what events changed (`LogConsumer`). */
  apply(accountId: string, events: readonly LoggedChange[]): void {
    if (events.some(({ type }) => type.startsWith('host.'))) this.expire([accountId]);
  }

  /** Notes that hosts of this account, or of any, may have changed (`LogConsumer`). */
  beginAgain(accountId: string | 'all'): void {
    if (accountId === 'all') this.#stale = 'all';
    else this.expire([accountId]);
  }

  /** Resolves once the hosts have been read at least once. Rejects in an outage. */
  async whenLoaded(): Promise<void> {
    if (!this.#isLoaded) await this.refresh();
  }

  /** Reads what may have changed, one reading after the other. Rejects in an outage; then the next refresh reads it. */
  refresh(): Promise<void> {
    const read = () => this.#read();
    this.#refreshing = this.#refreshing.then(read, read);
    return this.#refreshing;
  }

  async #read(): Promise<void> {
    const stale = this.#stale;
    if (stale !== 'all' && stale.size === 0) return;
    this.#stale = new Set();
    try {
      const accountIds = stale === 'all' ? undefined : [...stale];
      const found = await this.#store.found(accountIds);
      // Read last: a host that is deleted meanwhile is in one of the two.
      const released = await this.#store.released(accountIds);
      const isKept = ({ account_id }: { account_id: string }) => stale !== 'all' && !stale.has(account_id);
      this.#found = [...this.#found.filter(isKept), ...found];
      this.#released = [...this.#released.filter(isKept), ...released];
      this.#hosts = new Map(this.#found.filter(({ status }) => status === 'verified').map(entryOf));
      this.#claimedUntil = claimsOf(this.#found, this.#released);
      this.#accountIds = new Set(Array.from(this.#hosts.values(), ({ accountId }) => accountId));
      this.#isLoaded = true;
    } catch (error) {
      if (stale === 'all') this.#stale = 'all';
      else this.expire([...stale]);
      throw error;
    }
  }
}

function claimsOf(found: readonly FoundHost[], released: readonly ReleasedHostDocument[]): Map<string, number> {
  const claims = new Map<string, number>();
  for (const { host, expires_at } of released) claims.set(host, Math.max(expires_at.getTime(), claims.get(host) ?? 0));
  for (const { host } of found) claims.set(host, Number.POSITIVE_INFINITY);
  return claims;
}

function entryOf({ _id, account_id, host, root_url, not_found_url }: FoundHost): [string, VerifiedHost] {
  return [host, { id: _id, name: host, accountId: account_id, rootUrl: root_url, notFoundUrl: not_found_url }];
}
