import type { IndexDescription } from 'mongodb';
import type { Collections } from '../collections.ts';
import type { Migration } from './migration.ts';

/** docs/links-queries.md names the queries of each. */
export const INDEXES_OF_LINKS = [
  { key: { account_id: 1, state: 1, _id: 1 }, name: 'state' },
  { key: { account_id: 1, state: 1, updated_at: 1, _id: 1 }, name: 'state_updated_at' },
  { key: { account_id: 1, state: 1, title_key: 1, _id: 1 }, name: 'state_title' },
  { key: { account_id: 1, state: 1, slug_key: 1, _id: 1 }, name: 'state_slug' },
  { key: { account_id: 1, state: 1, clicks: 1, _id: 1 }, name: 'state_clicks' },
  { key: { account_id: 1, state: 1, hashtags: 1, _id: 1 }, name: 'state_hashtags' },
  { key: { account_id: 1, state: 1, host_key: 1 }, name: 'state_host' },
  { key: { account_id: 1, state: 1, expires_at: 1 }, name: 'state_expires_at' },
  { key: { account_id: 1, state: 1, destination_url: 1, _id: 1 }, name: 'state_destination' },
  { key: { account_id: 1, state: 1, last_clicked_at: 1 }, name: 'state_last_clicked_at' },
  {
    key: { account_id: 1, host: 1, state: 1, _id: 1 },
    name: 'short_host',
    partialFilterExpression: { host: { $gt: '' } },
  },
  { key: { account_id: 1, _id: 1 }, name: 'hidden', partialFilterExpression: { hidden: true } },
  {
    key: { account_id: 1, hashtags: 1, _id: 1 },
    name: 'hashtags',
    partialFilterExpression: { hashtags: { $gt: '' } },
  },
  { key: { imported_row: 1 }, name: 'imported_row', sparse: true },
] satisfies IndexDescription[];

const EXPIRY = { key: { expires_at: 1 }, name: 'expiry', expireAfterSeconds: 0 } satisfies IndexDescription;

/** The indexes of each collection besides `_id`. Redirects and queues of jobs are found by their ids alone. */
const INDEXES = {
  accounts: [
    { key: { username_key: 1 }, name: 'username', unique: true },
    { key: { 'keys.hash': 1 }, name: 'key' },
    { key: { changed_at: 1 }, name: 'changed_at', sparse: true },
    { key: { deleting_at: 1 }, name: 'deleting', sparse: true },
    EXPIRY,
  ],
  links: INDEXES_OF_LINKS,
  deletedLinks: [
    { key: { account_id: 1, _id: 1 }, name: 'account' },
    { key: { purge_at: 1, _id: 1 }, name: 'purge_order' },
  ],
  hosts: [
    { key: { account_id: 1, host: 1 }, name: 'account', unique: true },
    { key: { host: 1 }, name: 'verified', unique: true, partialFilterExpression: { status: 'verified' } },
    { key: { look_at: 1 }, name: 'looks' },
  ],
  releasedHosts: [EXPIRY, { key: { account_id: 1 }, name: 'account' }],
  events: [EXPIRY],
  idempotency: [EXPIRY, { key: { account_id: 1 }, name: 'account' }],
  sessions: [EXPIRY],
  signInLinks: [EXPIRY],
  passkeys: [{ key: { account_id: 1 }, name: 'account' }],
  usedChallenges: [EXPIRY],
  jobs: [EXPIRY, { key: { account_id: 1, scope: 1, _id: 1 }, name: 'scope' }],
  jobParts: [EXPIRY],
  jobUndo: [EXPIRY],
  visitorKeys: [EXPIRY],
} satisfies Partial<Record<keyof Collections, IndexDescription[]>>;

/** Creates the indexes of 0.1.0. */
export const baseline: Migration = {
  number: 1,
  name: 'baseline',
  async run(collections) {
    for (const [name, indexes] of Object.entries(INDEXES))
      await collections[name as keyof typeof INDEXES].createIndexes(indexes);
  },
};
