import { randomUUID } from 'node:crypto';
import {
  closeSync,
  createReadStream,
  createWriteStream,
  fstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
} from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

/**
 * The folder through which rows pass between HTTP and the engine, in one file each. A request body is complete before
 * the engine reads it, a result is complete before the response starts, and neither is held in memory.
 */
export interface Spool {
  /** Returns the path of a new file that does not exist yet. */
  newPath(): string;
  /**
   * Writes `before` and then all of `source` to a new file and returns its path; deletes the file if `source` breaks
   * off.
   */
  store(before: Uint8Array, source: Readable): Promise<string>;
  /** Opens a finished result, or reads it if it is small, and deletes its file. Returns null if no file was written. */
  take(path: string): Readable | Buffer | null;
  remove(path: string): void;
}

/** For fewer bytes, creating a stream would take longer than the statement itself. */
const READ_AT_ONCE_BYTES = 64 * 1024;

/** Opens an empty spool; removes files that a killed process left behind. */
export function openSpool(directory: string): Spool {
  rmSync(directory, { recursive: true, force: true });
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const newPath = () => join(directory, randomUUID());
  const remove = (path: string) => rmSync(path, { force: true });
  return {
    newPath,
    remove,
    async store(before, source) {
      const path = newPath();
      const file = createWriteStream(path);
      try {
        if (before.length > 0) file.write(before);
        await pipeline(source, file);
      } catch (error) {
        remove(path);
        throw error;
      }
      return path;
    },
    take(path) {
      let fd: number;
      try {
        fd = openSync(path, 'r');
      } catch (error) {
        // FORMAT Null writes no file.
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
        throw error;
      }
      remove(path);
      if (fstatSync(fd).size > READ_AT_ONCE_BYTES) return createReadStream('', { fd });
      try {
        return readFileSync(fd);
      } finally {
        closeSync(fd);
      }
    },
  };
}
