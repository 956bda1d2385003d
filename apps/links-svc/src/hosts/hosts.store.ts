import type { Database } from '../database/database.ts';
import { BOUNDED, BOUNDED_FIND } from '../database/operation-options.ts';
import type { HostDocument } from './host.ts';

/** Reads hosts. Every method throws `unavailable` in an outage. */
export class HostsStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Returns the verified host of an account with this name, or null. */
  async findVerifiedHost(account_id: string, host: string): Promise<{ id: string; host: string } | null> {
    const found = await this.#database.run(() =>
      this.#database.hosts.findOne({ account_id, host, status: 'verified' }, BOUNDED),
    );
    return found === null ? null : { id: found._id, host: found.host };
  }

  /** Returns the verified hosts of all accounts. */
  async verifiedHosts(): Promise<HostDocument[]> {
    return this.#database.run(() => this.#database.hosts.find({ status: 'verified' }, BOUNDED_FIND).toArray());
  }
}
