import type { Database } from '../database/database.ts';
import { BOUNDED_FIND } from '../database/operation-options.ts';

/** Reads the hosts of accounts by their names. Every method throws `unavailable` in an outage. */
export class HostNames {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Returns the ids of the account's hosts with these names, whatever their status, by name. */
  async idsOf(account_id: string, names: readonly string[]): Promise<Map<string, string>> {
    const found = await this.#database.run(() =>
      this.#database.hosts
        .find({ account_id, host: { $in: [...names] } }, { ...BOUNDED_FIND, projection: { host: 1 } })
        .toArray(),
    );
    return new Map(found.map(({ _id, host }) => [host, _id]));
  }
}
