import type { IndexDescription } from 'mongodb';
import type { Migration } from './migration.ts';

/** docs/links-queries.md explains the purpose and the cost of each. */
export const LATER_INDEXES_OF_LINKS = [
  { key: { account_id: 1, state: 1, expires_at: 1 }, name: 'state_expires_at' },
  { key: { account_id: 1, state: 1, destination_url: 1, _id: 1 }, name: 'state_destination' },
] satisfies IndexDescription[];

/** Creates the indexes of the filters `expired` and `destination_url`. */
export const expiryAndDestination: Migration = {
  number: 4,
  name: 'expiry-and-destination',
  async run({ links }) {
    await links.createIndexes(LATER_INDEXES_OF_LINKS);
  },
};
