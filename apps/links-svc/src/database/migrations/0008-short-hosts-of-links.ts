import type { IndexDescription } from 'mongodb';
import type { Migration } from './migration.ts';

/** docs/links-queries.md explains the purpose and the cost of each. */
export const INDEXES_OF_SHORT_HOSTS = [
  { key: { account_id: 1, state: 1, slug_key: 1, _id: 1 }, name: 'state_slug_id' },
  {
    key: { account_id: 1, state: 1, host: 1, _id: 1 },
    name: 'state_short_host',
    partialFilterExpression: { host: { $gt: '' } },
  },
] satisfies IndexDescription[];

/** Creates the indexes of lists by slug, which several hosts may have, and of the filter `host`. */
export const shortHostsOfLinks: Migration = {
  number: 8,
  name: 'short-hosts-of-links',
  async run({ links }) {
    await links.createIndexes(INDEXES_OF_SHORT_HOSTS);
  },
};
