import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** SQLite's result code for "another connection has it locked" (https://sqlite.org/rescode.html#busy). */
const SQLITE_BUSY = 5;

/**
 * Makes this process the only owner of a directory until it releases it or dies, however it dies: Node has no file
 * locks of its own, so the operating system's lock is taken through an empty SQLite database. It holds between
 * containers that share the directory too, where process ids say nothing.
 *
 * Gives the function that releases the directory. Throws when another process (or this one) owns it.
 */
export function lockDirectory(directory: string): () => void {
  const database = new DatabaseSync(join(directory, 'owner.lock'), { timeout: 0 });
  try {
    // A journal on the disk would need space, which a full one has not.
    database.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
  } catch (error) {
    database.close();
    if ((error as { errcode?: number }).errcode === SQLITE_BUSY)
      throw new Error(`The spool directory ${directory} is in use by another process; give each its own SPOOL_DIR.`);
    throw error;
  }
  return () => database.close();
}
