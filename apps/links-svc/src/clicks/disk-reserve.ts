import { closeSync, ftruncateSync, openSync, statfsSync, statSync, truncateSync, writeSync } from 'node:fs';
import { join } from 'node:path';

export const RESERVE_FILE = 'reserve';

const MEBIBYTE = 1_024 * 1_024;
/** More than SQLite needs to copy its log to its file and to remove the largest batch. */
const RESERVE_BYTES = 24 * MEBIBYTE;
const ZEROS = Buffer.alloc(MEBIBYTE);

/** A file that holds disk space. SQLite needs some to remove clicks, and on a full disk there would be none. */
export class DiskReserve {
  readonly #directory: string;
  readonly #path: string;
  #isWhole: boolean;

  constructor(directory: string) {
    this.#directory = directory;
    this.#path = join(directory, RESERVE_FILE);
    this.#isWhole = statSync(this.#path, { throwIfNoEntry: false })?.size === RESERVE_BYTES;
    this.restore();
  }

  get isWhole(): boolean {
    return this.#isWhole;
  }

  /** Gives the space to the other files. */
  release(): void {
    this.#isWhole = false;
    truncateSync(this.#path);
  }

  /** Takes the space again if the disk has it. */
  restore(): void {
    if (this.#isWhole) return;
    const { bavail, bsize } = statfsSync(this.#directory);
    if (bavail * bsize <= RESERVE_BYTES) return;
    const file = openSync(this.#path, 'w');
    try {
      for (let size = 0; size < RESERVE_BYTES; )
        size += writeSync(file, ZEROS, 0, Math.min(ZEROS.length, RESERVE_BYTES - size));
      this.#isWhole = true;
    } finally {
      if (!this.#isWhole) ftruncateSync(file);
      closeSync(file);
    }
  }
}
