import { decode } from './bson/bson.ts';
import { ORDER } from './bson/values.ts';
import type { Index } from './storage/indexes.ts';
import { encodeValue, successor, typeStart } from './storage/key-encoding.ts';
import { bound, recordOf } from './storage/keys.ts';
import type { Store } from './storage/store.ts';
import type { View } from './storage/view.ts';

/**
 * The maximum number of deletions in one round, so that other writes need not wait long; the next round does the rest.
 */
const MAX_PER_ROUND = 1000;

/** Deletes documents that have expired by a TTL index, and returns their number. */
export async function deleteExpired(store: Store, now = Date.now()): Promise<number> {
  let deleted = 0;
  for (const collection of store.committed.catalog.all()) {
    for (const index of collection.indexes) {
      if (index.expireAfterSeconds === undefined || !anyExpired(store.committed, index, now)) continue;
      deleted += await store.write(() => deleteBy(store.working, collection.namespace, index.id, now));
    }
  }
  return deleted;
}

/** Returns the range of index keys for expired dates; values of other types never expire. */
function expiredRange(index: Index, now: number): { start: Buffer; end: Buffer } {
  const last = encodeValue(new Date(now - (index.expireAfterSeconds as number) * 1000));
  return { start: bound(index.id, typeStart(ORDER.date)), end: bound(index.id, successor(last)) };
}

function anyExpired(view: View, index: Index, now: number): boolean {
  for (const _key of view.entries.getKeys({ ...expiredRange(index, now), limit: 1 })) return true;
  return false;
}

function deleteBy(view: View, namespace: string, indexId: number, now: number): number {
  const collection = view.catalog.find(namespace);
  const index = collection?.indexes.find(({ id }) => id === indexId);
  if (!collection || !index) return 0; // dropped since the round started
  const keys = [...view.entries.getKeys({ ...expiredRange(index, now), limit: MAX_PER_ROUND })];
  const records = new Set(keys.map(recordOf));
  for (const record of records) {
    const bytes = collection.read(record);
    if (bytes) collection.remove(record, decode(bytes));
  }
  return records.size;
}
