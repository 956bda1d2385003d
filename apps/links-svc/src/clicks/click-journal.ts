import { closeSync, fstatSync, ftruncateSync, openSync, readFileSync, writeSync } from 'node:fs';
import { type ClickRow, clickOfRow } from './click-row.ts';

/** What was written at once: the number of the group that the clicks go into, and the JSON of their rows. */
interface JournalEntry {
  group: number;
  rows: string[];
}

/**
 * The clicks of the last moment, in a file that is only appended to: an entry is one system call, while a commit to LMDB
 * is half a dozen. What is written outlives this process, however that dies. An entry is a line; the rest of a line that
 * was not written whole was never acknowledged.
 */
export class ClickJournal {
  readonly path: string;
  readonly #handle: number;
  #fileSize: number;
  #rows: string[] = [];
  #length = 0;

  /** Opens the file, which is made if it is missing. */
  constructor(path: string) {
    this.path = path;
    this.#handle = openSync(path, 'a+');
    this.#fileSize = fstatSync(this.#handle).size;
  }

  /** The rows that were written, or replayed, since the last `clear`. */
  get rows(): readonly string[] {
    return this.#rows;
  }

  /** How many characters the rows have. */
  get length(): number {
    return this.#length;
  }

  /**
   * Takes the rows that an earlier run left in the file, except those of groups before `nextGroup`: they were stored when
   * the process died before it cleared the journal. Returns how many lines cannot be read, as only a crash of the machine
   * can leave them.
   */
  replay(nextGroup: number): number {
    const lines = readFileSync(this.path, 'utf8').split('\n').slice(0, -1);
    const entries = lines.flatMap((line) => entryOf(line) ?? []);
    for (const { group, rows } of entries) if (group >= nextGroup) this.#take(rows);
    return lines.length - entries.length;
  }

  /** Appends rows that go into a group. Throws if they could not be written whole, and then leaves nothing of them. */
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

  /** Forgets all rows: their clicks are in the spool's groups. */
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
