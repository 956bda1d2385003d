import { closeSync, fstatSync, ftruncateSync, openSync, readSync, statSync, writeFileSync } from 'node:fs';

/**
 * The maximum size of a log, and of its `….old`. It leaves room for what six processes write between two checks, so
 * that the logs of a stack stay below the 100 MB that README.md promises.
 */
export const LOG_MAX_BYTES = 6 * 1024 ** 2;

const READ_BYTES = 1024 * 1024;

/** Returns the size of a file in bytes, or 0 if there is none. */
export function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

/**
 * Moves the newest lines of a log to `….old` and empties the log. The writer appends, so it continues at the new start.
 * Lines that are written between the last read and the truncation are lost.
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
