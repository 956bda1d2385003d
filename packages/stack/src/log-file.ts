import { closeSync, fstatSync, ftruncateSync, openSync, readSync, statSync, writeFileSync } from 'node:fs';

/**
 * The most that a log and its `….old` may each have. With what six processes write until they are looked at again, the
 * logs of a stack stay below the 100 MB that README.md promises.
 */
export const LOG_MAX_BYTES = 6 * 1024 ** 2;

const READ_BYTES = 1024 * 1024;

/** The size of a file; 0 where there is none. */
export function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

/**
 * Moves the newest lines of a log to `….old` and empties it. Whoever writes it appends, and so goes on at its new begin;
 * what is written in the moment between the last read and the cut is lost.
 */
export function rotateLog(path: string): void {
  const log = openSync(path, 'r+');
  let newest: Buffer;
  try {
    newest = readToEnd(log, fstatSync(log).size - LOG_MAX_BYTES);
    ftruncateSync(log);
  } finally {
    closeSync(log);
  }
  const tooMuch = newest.length - LOG_MAX_BYTES;
  const firstLine = tooMuch < 0 ? 0 : newest.indexOf('\n', tooMuch) + 1;
  writeFileSync(`${path}.old`, newest.subarray(firstLine), { mode: 0o600 });
}

function readToEnd(file: number, from: number): Buffer {
  const chunks: Buffer[] = [];
  for (let at = Math.max(0, from); ; ) {
    const chunk = Buffer.allocUnsafe(READ_BYTES);
    const length = readSync(file, chunk, 0, READ_BYTES, at);
    if (length === 0) return Buffer.concat(chunks);
    chunks.push(chunk.subarray(0, length));
    at += length;
  }
}
