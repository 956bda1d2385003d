import type { ClientSession } from 'mongodb';
import type { Database } from '../database/database.ts';
import { BOUNDED, BOUNDED_FIND } from '../database/operation-options.ts';
import { eventId, type LoggedChange } from './event.ts';

const LOGGED_CHANGE = { projection: { change_id: 1, type: 1, link_id: 1, redirect_ids: 1 } };
const DELETED_AT_A_TIME = 1_000;

/** Reads the logs of accounts. Every method throws `unavailable` in an outage. */
export class EventsStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Returns the events of an account after a revision up to another one, without those that have expired. */
  async between(accountId: string, after: number, upTo: number, session: ClientSession): Promise<LoggedChange[]> {
    const range = { $gt: eventId(accountId, after), $lte: eventId(accountId, upTo) };
    return this.#database.run(() =>
      this.#database.collections.events
        .find<LoggedChange>({ _id: range }, { ...LOGGED_CHANGE, ...BOUNDED, batchSize: upTo - after, session })
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
