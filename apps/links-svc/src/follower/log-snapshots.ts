import type { AccountsStore } from '../accounts/accounts.store.ts';
import type { Database } from '../database/database.ts';
import type { EventsStore } from '../events/events.store.ts';
import type { LogFollowerOptions } from './log-follower.ts';

/** Returns what opens the snapshots that a follower reads. */
export function logSnapshots(
  database: Database,
  accounts: AccountsStore,
  events: EventsStore,
): LogFollowerOptions['inSnapshot'] {
  return (read) =>
    database.inSnapshot((session) =>
      read({
        lastChanged: () => accounts.lastChanged(session),
        changedAfter: (after, limit) => accounts.changedAfter(after, limit, session),
        eventsBetween: (accountId, after, upTo) => events.between(accountId, after, upTo, session),
      }),
    );
}
