import type { Db } from 'mongodb';
import { isUnsupported } from './database-errors.ts';

/**
 * Returns true if the database has snapshot sessions, like a replica set or a cluster of MongoDB. Other servers refuse
 * the read concern, or ignore it and tell no time.
 */
export async function hasSnapshots(db: Db): Promise<boolean> {
  const find = { find: 'accounts', filter: { _id: '' }, limit: 1, readConcern: { level: 'snapshot' } };
  try {
    const { cursor } = await db.command(find);
    return cursor.atClusterTime !== undefined;
  } catch (error) {
    if (isUnsupported(error)) return false;
    throw error;
  }
}
