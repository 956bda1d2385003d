import { closeSync, fstatSync, ftruncateSync, openSync, readFileSync, writeSync } from 'node:fs';
import { type ClickRow, clickOfRow } from './click-row.ts';

/** What was written at one time: the number of the group that the clicks go into, and the JSON of their rows. */
export interface JournalEntry {
  group: number;
  rows: string[];
}

/**
 * The clicks of the last moment, in a file that is only appended to: an entry is one system call, where a commit to LMDB is
 * half a dozen. What is written outlives this process, however that dies. An entry is a line; the rest of a line that was
 * not written whole was never acknowledged.
 */
export class ClickJournal {
  readonly path: string;
  readonly #handle: number;
  #length: number;

  /** Opens the file, which is made where it is missing. */
  constructor(path: string) {
    this.path = path;
    this.#handle = openSync(path, 'a+');
    this.#length = fstatSync(this.#handle).size;
  }

  /** All entries in order, and how many lines are none, as only a crash of the machine can leave them. */
  read(): { entries: JournalEntry[]; unreadable: number } {
    const lines = readFileSync(this.path, 'utf8').split('\n').slice(0, -1);
    const entries = lines.flatMap((line) => entryOf(line) ?? []);
    return { entries, unreadable: lines.length - entries.length };
  }

  /** Appends an entry. Throws where it could not be written whole, and then leaves nothing of it. */
  write({ group, rows }: JournalEntry): void {
    const line = Buffer.from(`[${group},${rows.join(',')}]\n`);
    let written = 0;
    try {
      written = writeSync(this.#handle, line);
    } finally {
      if (written < line.length) ftruncateSync(this.#handle, this.#length);
    }
    if (written < line.length) throw new Error('The disk took only a part of what was written.');
    this.#length += line.length;
  }

  /** Forgets all entries: their clicks are in the spool's groups. */
  clear(): void {
    ftruncateSync(this.#handle, 0);
    this.#length = 0;
  }

  close(): void {
    closeSync(this.#handle);
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
