import { closeSync, fstatSync, openSync, writeSync } from 'node:fs';

const MEBIBYTE = 1_024 * 1_024;
/** The space that is kept allocated behind the last page. */
const AHEAD_BYTES = 24 * MEBIBYTE;
/** The reserve for transactions that free space, while other transactions may still grow the file. */
const RESERVED_WHEN_GROWING = 20 * MEBIBYTE;
/** The reserve in all other cases: more than removing the largest batch, or moving it within the file, needs. */
const RESERVED_BYTES = 12 * MEBIBYTE;
const ZEROS = Buffer.alloc(MEBIBYTE);

/**
 * Disk space behind the last page of an LMDB file, allocated before LMDB needs it. LMDB (3.5) must not run into a full
 * disk: its error message overflows its buffer, which sooner or later ends the process. A spool on a full disk also
 * could not be emptied, since LMDB needs new pages before it frees old ones.
 */
export class DiskSpace {
  readonly #handle: number;
  #fileSize: number;

  constructor(path: string) {
    this.#handle = openSync(path, 'r+');
    this.#fileSize = fstatSync(this.#handle).size;
  }

  /**
   * Ensures that there is space for a transaction that adds this many bytes. `used` is the size of all pages of the
   * file in bytes, `free` the size of those without content. Throws if the disk has too little space.
   */
  requireToAdd(bytes: number, { used, free }: { used: number; free: number }): void {
    // LMDB cannot reuse pages that were freed a moment ago, and not always pages that are not adjacent.
    const grows = free < 2 * bytes;
    this.#require(grows ? bytes + RESERVED_WHEN_GROWING : Math.max(bytes, RESERVED_BYTES), used);
  }

  /**
   * Ensures space for a transaction that writes this many bytes to free more. Throws if the disk has too little space.
   */
  requireToFree(bytes: number, { used }: { used: number }): void {
    this.#require(bytes, used);
  }

  close(): void {
    closeSync(this.#handle);
  }

  #require(bytes: number, used: number): void {
    const wanted = used + Math.max(AHEAD_BYTES, bytes);
    // Allocates a little more, so that not every transaction has to extend the file.
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
