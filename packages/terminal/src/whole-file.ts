import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

/** Writes a file that gets its name once it is complete, so that a part is never taken for the whole. */
export async function writeWhole(source: Readable, file: string): Promise<void> {
  const part = `${file}.part`;
  try {
    await pipeline(source, createWriteStream(part));
    await rename(part, file);
  } finally {
    await rm(part, { force: true });
  }
}
