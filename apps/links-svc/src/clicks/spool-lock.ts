import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** SQLite's result code for "another connection has it locked" (https://sqlite.org/rescode.html#busy). */
const SQLITE_BUSY = 5;

/**
 * Makes this process the only owner of a directory until it releases the directory or dies. Node has no file locks, so
 * the lock is an exclusive transaction on an empty SQLite database. It also works between containers that share the
 * directory, where process ids mean nothing.
 *
 * Returns the function that releases the directory. Throws if this or another process already owns it.
 */
export function lockDirectory(directory: string): () => void {
  const database = new DatabaseSync(join(directory, 'owner.lock'), { timeout: 0 });
  try {
    // In memory, since a journal on a full disk has no space.
    database.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
  } catch (error) {
    database.close();
    if ((error as { errcode?: number }).errcode === SQLITE_BUSY)
      throw new Error(`The spool directory ${directory} is in use by another process; give each its own SPOOL_DIR.`);
    throw error;
  }
  return () => database.close();
}
