import { closeSync, fstatSync, openSync, writeSync } from 'node:fs';

const MEBIBYTE = 1_024 * 1_024;
/** How much is kept behind the last page. */
const AHEAD_BYTES = 24 * MEBIBYTE;
/** What is left for transactions that free space, when others may still make the file longer. */
const LEFT_WHEN_GROWING = 20 * MEBIBYTE;
/** What is left for them in any case: more than removing the largest batch, or moving it within the file, needs. */
const LEFT_BYTES = 12 * MEBIBYTE;
const ZEROS = Buffer.alloc(MEBIBYTE);

/**
 * The disk space behind the last page of an LMDB file, which is written before LMDB needs it. LMDB must not meet a full
 * disk: its error message (3.5) is longer than the memory it has for it, which ends the process sooner or later. And a
 * spool on a full disk could not be emptied, since LMDB needs new pages before it frees old ones.
 */
export class DiskSpace {
  readonly #handle: number;
  #fileSize: number;

  constructor(path: string) {
    this.#handle = openSync(path, 'r+');
    this.#fileSize = fstatSync(this.#handle).size;
  }

  /**
   * Makes sure of space for a transaction that adds so many bytes to a file of which `used` bytes are pages, `free` of them
   * without content. Throws if the disk has too little.
   */
  requireToAdd(bytes: number, { used, free }: { used: number; free: number }): void {
    // LMDB cannot use pages that were freed a moment ago, nor always those that lie apart.
    const grows = free < 2 * bytes;
    this.#require(grows ? bytes + LEFT_WHEN_GROWING : Math.max(bytes, LEFT_BYTES), used);
  }

  /** Makes sure of space for a transaction that writes so many bytes to free more. Throws if the disk has too little. */
  requireToFree(bytes: number, { used }: { used: number }): void {
    this.#require(bytes, used);
  }

  close(): void {
    closeSync(this.#handle);
  }

  #require(bytes: number, used: number): void {
    const wanted = used + Math.max(AHEAD_BYTES, bytes);
    // A little more, so that not every transaction has to write.
    if (this.#fileSize < wanted) this.#extend(wanted + ZEROS.length);
    if (this.#fileSize < used + bytes) throw new Error('The disk of the click spool is full.');
  }

  #extend(size: number): void {
    try {
      while (this.#fileSize < size) {
        const length = Math.min(ZEROS.length, size - this.#fileSize);
        this.#fileSize += writeSync(this.#handle, ZEROS, 0, length, this.#fileSize);
      }
    } catch (error) {
      if (!['ENOSPC', 'EDQUOT'].includes((error as NodeJS.ErrnoException).code!)) throw error;
    }
  }
}
