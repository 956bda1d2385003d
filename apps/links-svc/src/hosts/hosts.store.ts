import type { HostStatus } from '@waymark/contract';
import type { Database } from '../database/database.ts';
import type { HostDocument } from '../database/documents/host.ts';
import type { ReleasedHostDocument } from '../database/documents/released-host.ts';
import { BOUNDED, BOUNDED_FIND } from '../database/operation-options.ts';
import { releasedHost } from './host.ts';

/** A host, as visitors need it. */
export type FoundHost = Pick<HostDocument, '_id' | 'account_id' | 'host' | 'status' | 'root_url' | 'not_found_url'>;

/** Reads hosts, and notes when their next look is due. Every method throws `unavailable` in an outage. */
export class HostsStore {
  readonly #database: Database;
  readonly #ownHosts: ReadonlySet<string>;

  /** @param ownHosts the hosts of the service itself */
  constructor(database: Database, ownHosts: readonly string[]) {
    this.#database = database;
    this.#ownHosts = new Set(ownHosts);
  }

  /** Returns true for the name of a host of the service itself. Links on it are those of the default host. */
  isOwn(name: string): boolean {
    return this.#ownHosts.has(name);
  }

  /** Returns a host of the account, or null. */
  async find(accountId: string, id: string): Promise<HostDocument | null> {
    return this.#database.run(() =>
      this.#database.collections.hosts.findOne({ _id: id, account_id: accountId }, BOUNDED),
    );
  }

  /** Returns the account's host of this name, or null. */
  async findByName(accountId: string, host: string): Promise<HostDocument | null> {
    return this.#database.run(() => this.#database.collections.hosts.findOne({ account_id: accountId, host }, BOUNDED));
  }

  /**
   * Returns the ids of the account's hosts with these names, of any status or of this one, by name. The id of the default
   * host is null.
   */
  async idsOf(accountId: string, names: readonly string[], status?: HostStatus): Promise<Map<string, string | null>> {
    const own = names.filter((name) => this.isOwn(name)).map((name) => [name, null] as const);
    const others = names.filter((name) => !this.isOwn(name));
    if (others.length === 0) return new Map(own);
    const filter = { account_id: accountId, host: { $in: others }, ...(status && { status }) };
    const found = await this.#database.run(() =>
      this.#database.collections.hosts.find(filter, { projection: { host: 1 }, ...BOUNDED_FIND }).toArray(),
    );
    return new Map([...own, ...found.map(({ _id, host }) => [host, _id] as const)]);
  }

  /** Returns the document of the account that has this name verified, or null. */
  async findHolder(host: string): Promise<HostDocument | null> {
    return this.#database.run(() => this.#database.collections.hosts.findOne({ host, status: 'verified' }, BOUNDED));
  }

  /** Returns the hosts of an account, oldest first. */
  async listOf(accountId: string): Promise<HostDocument[]> {
    return this.#database.run(() =>
      this.#database.collections.hosts
        .find({ account_id: accountId }, BOUNDED_FIND)
        .sort({ created_at: 1, _id: 1 })
        .toArray(),
    );
  }

  /** Returns up to `limit` hosts of all accounts after this id. */
  async list(afterId: string, limit: number): Promise<HostDocument[]> {
    return this.#database.run(() =>
      this.#database.collections.hosts
        .find({ _id: { $gt: afterId } }, BOUNDED_FIND)
        .sort({ _id: 1 })
        .limit(limit)
        .toArray(),
    );
  }

  /** Returns the hosts of these accounts, or of all, whatever their status. */
  async found(accountIds?: readonly string[]): Promise<FoundHost[]> {
    const filter = accountIds === undefined ? {} : { account_id: { $in: [...accountIds] } };
    const projection = { account_id: 1, host: 1, status: 1, root_url: 1, not_found_url: 1 };
    return this.#database.inSnapshot((session) =>
      this.#database.run(() =>
        this.#database.collections.hosts.find<FoundHost>(filter, { projection, ...BOUNDED_FIND, session }).toArray(),
      ),
    );
  }

  /** Returns the names that these accounts, or all, have deleted. */
  async released(accountIds?: readonly string[]): Promise<ReleasedHostDocument[]> {
    const filter = accountIds === undefined ? {} : { account_id: { $in: [...accountIds] } };
    return this.#database.run(() => this.#database.collections.releasedHosts.find(filter, BOUNDED_FIND).toArray());
  }

  /** Returns how many names the account has deleted, up to `limit`. */
  async countReleased(accountId: string, limit: number): Promise<number> {
    return this.#database.run(() =>
      this.#database.collections.releasedHosts.countDocuments({ account_id: accountId }, { limit, ...BOUNDED }),
    );
  }

  /** Returns up to `limit` hosts whose look is due, the longest due first. */
  async due(now: Date, limit: number): Promise<HostDocument[]> {
    return this.#database.run(() =>
      this.#database.collections.hosts
        .find({ look_at: { $lte: now } }, BOUNDED_FIND)
        .sort({ look_at: 1 })
        .limit(limit)
        .toArray(),
    );
  }

  /** Sets when the next look is due. Returns false if another replica did so first. */
  async claimLook({ _id, look_at }: HostDocument, next: Date): Promise<boolean> {
    const { modifiedCount } = await this.#database.run(() =>
      this.#database.collections.hosts.updateOne({ _id, look_at }, { $set: { look_at: next } }, BOUNDED),
    );
    return modifiedCount === 1;
  }

  /** Returns the time of the database's clock, which all replicas share. */
  async now(): Promise<Date> {
    return this.#database.time();
  }

  /** Removes every host of an account. Their names are recorded as deleted first, so that a crash forgets none. */
  async deleteAllOf(accountId: string): Promise<void> {
    const hosts = await this.listOf(accountId);
    const now = await this.now();
    const records = hosts.map((host) => releasedHost(host, now));
    if (records.length > 0)
      await this.#database.run(() =>
        this.#database.collections.releasedHosts.bulkWrite(
          records.map(({ _id, ...record }) => ({
            updateOne: { filter: { _id }, update: { $set: record }, upsert: true },
          })),
          BOUNDED,
        ),
      );
    await this.#database.run(() => this.#database.collections.hosts.deleteMany({ account_id: accountId }, BOUNDED));
  }
}
