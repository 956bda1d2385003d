import type { Collections } from './collections.ts';

/**
 * Creates missing indexes. It is idempotent, and replicas may run it concurrently. docs/links-queries.md explains the
 * purpose and the cost of each index.
 */
export async function createIndexes(database: Collections): Promise<void> {
  await database.accounts.createIndexes([
    { key: { username_key: 1 }, name: 'username', unique: true },
    { key: { 'keys.hash': 1 }, name: 'key' },
  ]);
  await database.links.createIndexes([
    { key: { slug_key: 1 }, name: 'slug', unique: true },
    { key: { account_id: 1, hidden: 1, _id: 1 }, name: 'account_hidden' },
    { key: { account_id: 1, updated_at: 1, _id: 1 }, name: 'account_updated_at' },
    { key: { account_id: 1, title_key: 1, _id: 1 }, name: 'account_title' },
    { key: { account_id: 1, slug_key: 1 }, name: 'account_slug' },
    { key: { account_id: 1, clicks: 1, _id: 1 }, name: 'account_clicks' },
    { key: { changed_at: 1 }, name: 'changed_at', sparse: true },
  ]);
  await database.deletedLinks.createIndexes([
    { key: { account_id: 1 }, name: 'account' },
    { key: { purge_at: 1 }, name: 'purge_at' },
    { key: { changed_at: 1 }, name: 'changed_at' },
  ]);
  await database.idempotency.createIndexes([
    { key: { expires_at: 1 }, name: 'expiry', expireAfterSeconds: 0 },
    { key: { account_id: 1 }, name: 'account' },
  ]);
}
