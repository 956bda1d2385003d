import type { Database } from '../database/database.ts';
import type { EventDocument } from '../database/documents/event.ts';
import { BOUNDED, BOUNDED_FIND } from '../database/operation-options.ts';
import { eventId } from './event.ts';

/** What the caches of redirects read of an event. */
export type RedirectEvent = Pick<EventDocument, '_id' | 'type' | 'redirect_ids'>;

const DELETED_AT_A_TIME = 1_000;

/** Reads the logs of accounts. Every method throws `unavailable` in an outage. */
export class EventsStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Returns the types of the events with these ids, and the redirects that they touched, without those that have expired. */
  async redirectsOf(ids: readonly string[]): Promise<RedirectEvent[]> {
    if (ids.length === 0) return [];
    return this.#database.run(() =>
      this.#database.collections.events
        .find<RedirectEvent>({ _id: { $in: [...ids] } }, { projection: { type: 1, redirect_ids: 1 }, ...BOUNDED_FIND })
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
