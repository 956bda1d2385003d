import type { IndexDescription } from 'mongodb';
import type { Migration } from './migration.ts';

/** docs/links-queries.md explains the purpose and the cost of each. */
export const INDEXES_OF_LINKS = [
  { key: { account_id: 1, state: 1, _id: 1 }, name: 'state' },
  { key: { account_id: 1, state: 1, updated_at: 1, _id: 1 }, name: 'state_updated_at' },
  { key: { account_id: 1, state: 1, title_key: 1, _id: 1 }, name: 'state_title' },
  { key: { account_id: 1, state: 1, slug_key: 1 }, name: 'state_slug' },
  { key: { account_id: 1, state: 1, clicks: 1, _id: 1 }, name: 'state_clicks' },
  { key: { account_id: 1, state: 1, hashtags: 1, _id: 1 }, name: 'state_hashtags' },
  { key: { account_id: 1, state: 1, host_key: 1 }, name: 'state_host' },
  { key: { account_id: 1, state: 1, last_clicked_at: 1 }, name: 'state_last_clicked_at' },
  { key: { account_id: 1, _id: 1 }, name: 'hidden', partialFilterExpression: { hidden: true } },
] satisfies IndexDescription[];

const EXPIRY = [{ key: { expires_at: 1 }, name: 'expiry', expireAfterSeconds: 0 }] satisfies IndexDescription[];

/** Creates the indexes. Redirects are found by their ids alone. */
export const baseline: Migration = {
  number: 1,
  name: 'baseline',
  async run({ accounts, links, events, deletedLinks, idempotency, sessions, signInLinks, visitorKeys }) {
    await accounts.createIndexes([
      { key: { username_key: 1 }, name: 'username', unique: true },
      { key: { 'keys.hash': 1 }, name: 'key' },
      { key: { changed_at: 1 }, name: 'changed_at', sparse: true },
      { key: { deleting_at: 1 }, name: 'deleting', sparse: true },
    ]);
    await links.createIndexes(INDEXES_OF_LINKS);
    await deletedLinks.createIndexes([
      { key: { account_id: 1, _id: 1 }, name: 'account' },
      { key: { purge_at: 1, _id: 1 }, name: 'purge_order' },
    ]);
    await idempotency.createIndexes([...EXPIRY, { key: { account_id: 1 }, name: 'account' }]);
    for (const collection of [events, sessions, signInLinks, visitorKeys]) await collection.createIndexes(EXPIRY);
  },
};
