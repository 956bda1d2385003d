import type { ClientSession, Filter } from 'mongodb';
import type { Database } from '../database/database.ts';
import type { EventDocument } from '../database/documents/event.ts';
import { BOUNDED, BOUNDED_FIND } from '../database/operation-options.ts';
import { eventId, type LoggedChange } from './event.ts';

const LOGGED_CHANGE = { projection: { change_id: 1, type: 1, link_id: 1, redirect_ids: 1 } };
const DELETED_AT_A_TIME = 1_000;

/** Events of an account after a revision up to another one. */
interface EventSelection {
  accountId: string;
  after: number;
  upTo: number;
  filter: Filter<EventDocument>;
  limit: number;
  dir: 'asc' | 'desc';
}

interface HidingSelection {
  accountId: string;
  linkId: string;
  view: string;
  upTo: number;
}

/** Returns the condition that an event is one of a link. It has the condition of the index. */
export function ofLink(linkId: string) {
  return { $eq: linkId, $gt: '' };
}

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

  /** Returns events of an account after a revision up to another one that a filter selects, in their order or from the newest back. */
  find(
    { accountId, after, upTo, filter, limit, dir }: EventSelection,
    session: ClientSession,
  ): Promise<EventDocument[]> {
    const _id = { $gt: eventId(accountId, Math.max(after, 0)), $lte: eventId(accountId, upTo) };
    return this.#database.collections.events
      .find({ _id, ...filter }, { ...BOUNDED, batchSize: limit, limit, session })
      .sort({ _id: dir === 'asc' ? 1 : -1 })
      .toArray();
  }

  /** Returns the id of the last event up to a revision that hid a link from a view, or null. */
  async lastHiding({ accountId, linkId, view, upTo }: HidingSelection, session: ClientSession): Promise<string | null> {
    const _id = { $gt: eventId(accountId, 0), $lte: eventId(accountId, upTo) };
    // With the condition of the index.
    const filter = { _id, link_id: linkId, hidden_from: { $eq: view, $gt: '' } };
    const found = await this.#database.collections.events.findOne<{ _id: string }>(filter, {
      ...BOUNDED,
      projection: { _id: 1 },
      sort: { _id: -1 },
      session,
    });
    return found?._id ?? null;
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
