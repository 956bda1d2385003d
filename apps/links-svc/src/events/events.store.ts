import type { Database } from '../database/database.ts';
import { BOUNDED, BOUNDED_FIND } from '../database/operation-options.ts';
import { eventId, type LoggedChange } from './event.ts';

const DELETED_AT_A_TIME = 1_000;

/** Reads the logs of accounts. Every method throws `unavailable` in an outage. */
export class EventsStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Returns the events with these ids, without those that have expired. */
  async findMany(ids: readonly string[]): Promise<LoggedChange[]> {
    if (ids.length === 0) return [];
    return this.#database.run(() =>
      this.#database.collections.events
        .find<LoggedChange>({ _id: { $in: [...ids] } }, { projection: { type: 1, redirect_ids: 1 }, ...BOUNDED_FIND })
        .toArray(),
    );
  }

  /** Removes the log of an account. */
  async deleteAllOf(accountId: string): Promise<void> {
    const log = { $gt: eventId(accountId, 0), $lt: `${accountId};` };
    for (;;) {
      const found = await this.#database.run(() =>
        this.#database.collections.events
          .find<{ _id: string }>({ _id: log }, { projection: { _id: 1 }, ...BOUNDED_FIND, limit: DELETED_AT_A_TIME })
          .toArray(),
      );
      if (found.length === 0) return;
      const ids = found.map(({ _id }) => _id);
      await this.#database.run(() => this.#database.collections.events.deleteMany({ _id: { $in: ids } }, BOUNDED));
    }
  }
}
