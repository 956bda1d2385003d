import { closeSync, fstatSync, ftruncateSync, openSync, readFileSync, writeSync } from 'node:fs';
import { type ClickRow, clickOfRow } from './click-row.ts';

/** One write: the number of the group that the clicks will go into, and the JSON of their rows. */
interface JournalEntry {
  group: number;
  rows: string[];
}

/**
 * An append-only file with the newest clicks. An entry costs one system call, so it is much cheaper than a commit to
 * LMDB. Written entries survive any end of this process. An entry is one line. An incomplete last line was never
 * acknowledged.
 */
export class ClickJournal {
  readonly path: string;
  readonly #handle: number;
  #fileSize: number;
  #rows: string[] = [];
  #length = 0;

  /** Opens the file, and creates it if it is missing. */
  constructor(path: string) {
    this.path = path;
    this.#handle = openSync(path, 'a+');
    this.#fileSize = fstatSync(this.#handle).size;
  }

  /** Returns the rows that were written or replayed since the last `clear`. */
  get rows(): readonly string[] {
    return this.#rows;
  }

  /** Returns the number of characters of the rows. */
  get length(): number {
    return this.#length;
  }

  /**
   * Loads the rows that an earlier run left in the file. Skips groups before `nextGroup`: they were already stored when
   * the process died, before it could clear the journal. Returns the number of unreadable lines, which only a crash of
   * the machine can leave.
   */
  replay(nextGroup: number): number {
    const lines = readFileSync(this.path, 'utf8').split('\n').slice(0, -1);
    const entries = lines.flatMap((line) => entryOf(line) ?? []);
    for (const { group, rows } of entries) if (group >= nextGroup) this.#take(rows);
    return lines.length - entries.length;
  }

  /**
   * Appends rows that will go into a group. If they cannot be written completely, it throws and leaves nothing of them.
   */
  write(group: number, rows: readonly string[]): void {
    const line = Buffer.from(`[${group},${rows.join(',')}]\n`);
    let written = 0;
    try {
      written = writeSync(this.#handle, line);
    } finally {
      if (written < line.length) ftruncateSync(this.#handle, this.#fileSize);
    }
    if (written < line.length) throw new Error('The disk took only a part of what was written.');
    this.#fileSize += line.length;
    this.#take(rows);
  }

  /** Removes all rows. Call it once their clicks are in the groups of the spool. */
  clear(): void {
    this.#rows = [];
    this.#length = 0;
    ftruncateSync(this.#handle, 0);
    this.#fileSize = 0;
  }

  close(): void {
    closeSync(this.#handle);
  }

  #take(rows: readonly string[]): void {
    for (const row of rows) {
      this.#rows.push(row);
      this.#length += row.length + 1;
    }
  }
}

function entryOf(line: string): JournalEntry | null {
  try {
    const [group, ...rows] = JSON.parse(line) as [number, ...ClickRow[]];
    for (const row of rows) clickOfRow(row);
    return Number.isInteger(group) ? { group, rows: rows.map((row) => JSON.stringify(row)) } : null;
  } catch {
    return null;
  }
}
