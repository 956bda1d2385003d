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
 * The folder where rows pass between HTTP and the engine, one file each: what a request carries is complete before the
 * engine reads it, what a query yields is complete before the answer begins, and neither sits in memory.
 */
export interface Spool {
  /** A path that no file has yet. */
  newPath(): string;
  /** Writes `before` and then all of `source` to a new file; a source that breaks off leaves no file behind. */
  store(before: Uint8Array, source: Readable): Promise<string>;
  /** A finished result, the bytes of a small one; the file is gone when this returns. Null where none was written. */
  take(path: string): Readable | Buffer | null;
  remove(path: string): void;
}

/** A stream of so few bytes would take longer than the statement. */
const READ_AT_ONCE_BYTES = 64 * 1024;

/** Opens an empty spool; what a killed process left there is removed. */
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
        // FORMAT Null writes nothing.
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
