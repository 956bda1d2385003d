import { type Db, MongoServerError } from 'mongodb';

/** The error codes of a server that does not know what a command asks for. */
const UNKNOWN_CODES: ReadonlySet<unknown> = new Set([
  72, // InvalidOptions
  115, // CommandNotSupported
  123, // NotAReplicaSet
  238, // NotImplemented
]);

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
    if (error instanceof MongoServerError && UNKNOWN_CODES.has(error.code)) return false;
    throw error;
  }
}
