import { type Collection, type IndexDescription, MongoServerError } from 'mongodb';
import type { Collections } from './collections.ts';

type DroppableIndexes = Pick<Collection, 'listIndexes' | 'dropIndex'>;

const NO_COLLECTION = 26;

/** Indexes of links that earlier versions created, except {@link UNMOVED_SLUGS}. */
const FORMER_INDEXES = ['account_hidden', 'account_updated_at', 'account_title', 'account_slug', 'account_clicks'];
const FORMER_INDEXES_OF_DELETED_LINKS = ['account', 'purge_at'];

/**
 * The index of links that made slugs unique in earlier versions. It marks a database whose slugs are not yet in a
 * collection of their own.
 */
export const UNMOVED_SLUGS = 'slug';

/** Removes the indexes that only earlier versions used. Other indexes, such as those of an operator, stay. */
export async function dropFormerIndexes({ links, deletedLinks }: Collections): Promise<void> {
  for (const name of FORMER_INDEXES) await dropIndex(links, name);
  for (const name of FORMER_INDEXES_OF_DELETED_LINKS) await dropIndex(deletedLinks, name);
}

/** Removes an index if it exists. Replicas may do so concurrently. */
export async function dropIndex(collection: DroppableIndexes, name: string): Promise<void> {
  if (!(await hasIndex(collection, name))) return;
  try {
    await collection.dropIndex(name);
  } catch (error) {
    if (await hasIndex(collection, name)) throw error;
  }
}

/** Returns true if the collection has an index with this name. */
export async function hasIndex(collection: DroppableIndexes, name: string): Promise<boolean> {
  try {
    const indexes = await collection.listIndexes().toArray();
    return indexes.some((index) => index.name === name);
  } catch (error) {
    if (error instanceof MongoServerError && error.code === NO_COLLECTION) return false;
    throw error;
  }
}

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

/** Creates missing indexes. It is idempotent, and replicas may run it concurrently. */
export async function createIndexes(database: Collections): Promise<void> {
  await database.accounts.createIndexes([
    { key: { username_key: 1 }, name: 'username', unique: true },
    { key: { 'keys.hash': 1 }, name: 'key' },
  ]);
  await database.links.createIndexes(INDEXES_OF_LINKS);
  await database.deletedLinks.createIndexes([
    { key: { account_id: 1, changed_at: 1 }, name: 'account_changed_at' },
    { key: { purge_at: 1, _id: 1 }, name: 'purge_order' },
    { key: { changed_at: 1 }, name: 'changed_at' },
  ]);
  await database.idempotency.createIndexes([
    { key: { expires_at: 1 }, name: 'expiry', expireAfterSeconds: 0 },
    { key: { account_id: 1 }, name: 'account' },
  ]);
  await database.sessions.createIndexes([{ key: { expires_at: 1 }, name: 'expiry', expireAfterSeconds: 0 }]);
  await database.signInLinks.createIndexes([{ key: { expires_at: 1 }, name: 'expiry', expireAfterSeconds: 0 }]);
  await database.visitorKeys.createIndexes([{ key: { expires_at: 1 }, name: 'expiry', expireAfterSeconds: 0 }]);
}
