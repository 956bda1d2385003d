import { hash } from 'node:crypto';
import type { Click } from './click.ts';
import { clicksOfGroup, groupOf, partsOf } from './click-group.ts';
import type { SpoolFile } from './spool-file.ts';
import { BATCH_KEY, type GroupKey, STORED_KEY } from './spool-tables.ts';

/** A contiguous run of the queue, which stays the same until it is acknowledged or rejected, also after a crash. */
export interface ClickBatch {
  /** Made from the ids of the clicks in their order: the same for the same batch. */
  token: string;
  clicks: Click[];
  /** True if the batch was returned before, by this process or an earlier one, so that it may have been sent. */
  maybeSent: boolean;
  /** Its groups in the queue. */
  groups: GroupKey[];
}

/** Well below the 8 MiB that a gRPC message may have. */
const BATCH_MAX_BYTES = 4 * 1_024 * 1_024;

/** Groups of clicks in their order: added at the end, removed from the front in batches. */
export class ClickQueue {
  readonly #file: SpoolFile;
  #nextNumber: number;
  #clicks = 0;
  #bytes = 0;

  constructor(file: SpoolFile) {
    this.#file = file;
    for (const [, clicks, bytes] of file.tables.groups.getKeys()) {
      this.#clicks += clicks;
      this.#bytes += bytes;
    }
    // Kept apart from the groups, since there may be none left: the mark of a dirty link is the number of a group.
    this.#nextNumber = Number(file.tables.state.get(STORED_KEY) ?? 0) + 1;
  }

  /** The number that the next group gets. */
  get nextNumber(): number {
    return this.#nextNumber;
  }

  /** How many clicks are in the groups. */
  get clicks(): number {
    return this.#clicks;
  }

  /** How many bytes the groups have. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Adds rows as groups of at most `maxClicks`, in one transaction. Throws if they cannot be written. */
  add(rows: readonly string[], maxClicks: number): void {
    const groups = partsOf(rows, maxClicks).map((part, index) => {
      const value = groupOf(part);
      const key: GroupKey = [this.#nextNumber + index, part.length, Buffer.byteLength(value)];
      return { key, value };
    });
    const last = groups.at(-1);
    if (last === undefined) return;
    this.#file.transaction(({ groups: table, state }) => {
      for (const { key, value } of groups) table.put(key, value);
      state.put(STORED_KEY, String(last.key[0]));
    });
    this.#nextNumber = last.key[0] + 1;
    for (const { key } of groups) {
      this.#clicks += key[1];
      this.#bytes += key[2];
    }
  }

  /** True if a batch was cut and is neither acknowledged nor rejected. */
  hasBatch(): boolean {
    return this.#file.tables.state.get(BATCH_KEY) !== undefined;
  }

  /**
   * Returns the batch that was cut last, or else cuts a new one of at most `maxClicks` (or one group, if that is longer),
   * whose bounds are on record before this returns. Null if there is no group.
   */
  nextBatch(maxClicks: number): ClickBatch | null {
    const record = this.#file.tables.state.get(BATCH_KEY);
    const groups = record === undefined ? this.#cutBatch(maxClicks) : this.#recordedBatch(record);
    if (groups.length === 0) return null;
    const clicks = groups.flatMap((key) => this.#clicksOf(key));
    return { token: tokenOf(clicks), clicks, maybeSent: record !== undefined, groups };
  }

  /** Removes a batch, together with what `action` does. */
  remove(batch: ClickBatch, action: () => void): void {
    this.#file.transaction(({ groups, state }) => {
      for (const key of batch.groups) groups.remove(key);
      state.remove(BATCH_KEY);
      action();
    });
    for (const [, clicks, bytes] of batch.groups) {
      this.#clicks -= clicks;
      this.#bytes -= bytes;
    }
  }

  /** The first click; undefined if there is none. */
  first(): Click | undefined {
    for (const { value } of this.#file.tables.groups.getRange({ limit: 1 })) return clicksOfGroup(value)[0];
    return undefined;
  }

  /** The groups at the front that make a new batch, whose bounds are written down. */
  #cutBatch(maxClicks: number): GroupKey[] {
    const groups: GroupKey[] = [];
    let [clicks, bytes] = [0, 0];
    for (const key of this.#file.tables.groups.getKeys()) {
      clicks += key[1];
      bytes += key[2];
      if (groups.length > 0 && (clicks > maxClicks || bytes > BATCH_MAX_BYTES)) break;
      groups.push(key);
    }
    const [first, last] = [groups[0], groups.at(-1)];
    if (first !== undefined && last !== undefined)
      this.#file.transaction(({ state }) => state.put(BATCH_KEY, JSON.stringify([first[0], last[0]])));
    return groups;
  }

  #recordedBatch(record: string): GroupKey[] {
    const [first, last] = JSON.parse(record) as [number, number];
    // A shorter key sorts before every longer one that begins with it.
    const bounds = { start: [first] as unknown as GroupKey, end: [last + 1] as unknown as GroupKey };
    return [...this.#file.tables.groups.getKeys(bounds)];
  }

  #clicksOf(key: GroupKey): Click[] {
    const value = this.#file.tables.groups.get(key);
    if (value === undefined) throw new Error(`the spool has no group ${key[0]}`);
    return clicksOfGroup(value);
  }
}

function tokenOf(clicks: readonly Click[]): string {
  return hash('sha256', clicks.map(({ id }) => id).join('')).slice(0, 32);
}
