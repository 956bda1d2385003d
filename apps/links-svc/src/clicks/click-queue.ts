import { hash } from 'node:crypto';
import type { Click } from './click.ts';
import { clicksOfGroup, groupOf, partsOf } from './click-group.ts';
import { type SpoolEnvironment, spaceOf } from './spool-environment.ts';
import { BATCH_KEY, type GroupKey, STORED_KEY } from './spool-tables.ts';

/** A contiguous part of the queue. It stays the same until it is acknowledged or rejected, even after a crash. */
export interface ClickBatch {
  /** Derived from the ids of the clicks in their order: the same batch always has the same token. */
  token: string;
  clicks: Click[];
  /** True if this or an earlier process returned the batch before. It may have been sent then. */
  maybeStored: boolean;
  /** The groups of the batch in the queue. */
  groups: GroupKey[];
}

/** The bounds of a batch. Records of earlier versions have no token. */
interface BatchRecord {
  first: number;
  last: number;
  token: string | undefined;
}

/** Well below the 8 MiB limit of a gRPC message. */
const BATCH_MAX_BYTES = 4 * 1_024 * 1_024;

/** An ordered queue of groups of clicks. Groups are added at the end and removed from the front in batches. */
export class ClickQueue {
  readonly #environment: SpoolEnvironment;
  readonly #onUnreadable: (groups: GroupKey[]) => void;
  /** The numbers of unreadable groups. They stay in the table, because LMDB cannot be trusted to remove them. */
  readonly #unreadable: Set<number>;
  #nextNumber: number;
  #clicks = 0;
  #bytes = 0;

  /** Reads the state of the queue. `onUnreadable` is called once for each group that turns out to be unreadable. */
  constructor(environment: SpoolEnvironment, onUnreadable: (groups: GroupKey[]) => void) {
    this.#environment = environment;
    this.#onUnreadable = onUnreadable;
    this.#unreadable = new Set(environment.tables.unreadable.getKeys());
    for (const [number, clicks, bytes] of environment.tables.groups.getKeys()) {
      if (!this.#unreadable.has(number)) this.#clicks += clicks;
      this.#bytes += bytes;
    }
    // Stored separately, since there may be no groups left. Numbers must not repeat: dirty links use them as marks.
    this.#nextNumber = Number(environment.tables.state.get(STORED_KEY) ?? 0) + 1;
  }

  /** Returns the number of the next group. */
  get nextNumber(): number {
    return this.#nextNumber;
  }

  /** Returns the number of clicks in readable groups. */
  get clicks(): number {
    return this.#clicks;
  }

  /** Returns the size of all groups in bytes. */
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
    const bytes = groups.reduce((sum, { key }) => sum + spaceOf(key[2]), 0);
    this.#environment.add(bytes, ({ groups: table, state }) => {
      for (const { key, value } of groups) table.put(key, value);
      state.put(STORED_KEY, String(last.key[0]));
    });
    this.#nextNumber = last.key[0] + 1;
    for (const { key } of groups) {
      this.#clicks += key[1];
      this.#bytes += key[2];
    }
  }

  /** Returns true if there is a batch that is neither acknowledged nor rejected. */
  hasBatch(): boolean {
    return this.#environment.tables.state.get(BATCH_KEY) !== undefined;
  }

  /**
   * Returns the current batch if it is neither acknowledged nor rejected. Otherwise records and returns a new one of at
   * most `maxClicks`, or of one group if that group is larger. Skips unreadable groups. Returns null if no clicks
   * remain.
   */
  nextBatch(maxClicks: number): ClickBatch | null {
    const record = this.#environment.tables.state.get(BATCH_KEY);
    const keys = record === undefined ? this.#keysAtFront(maxClicks) : this.#keysOnRecord(record);
    const groups = keys.map((key) => ({ key, clicks: this.#read(key) }));
    const readable = groups.flatMap(({ key, clicks }) => (clicks === null ? [] : [{ key, clicks }]));
    if (readable.length < groups.length)
      this.#skip(groups.flatMap(({ key, clicks }) => (clicks === null ? [key] : [])));
    const clicks = readable.flatMap((group) => group.clicks);
    if (clicks.length === 0) {
      if (record !== undefined) this.#environment.free(0, ({ state }) => state.remove(BATCH_KEY));
      return null;
    }
    const batchGroups = readable.map(({ key }) => key);
    // The rest of a batch that may have been sent keeps its token, so that its clicks do not count twice.
    const token = (record && parseRecord(record).token) ?? tokenOf(clicks);
    if (record === undefined) this.#record({ first: batchGroups[0]![0], last: batchGroups.at(-1)![0], token });
    return { token, clicks, maybeStored: record !== undefined, groups: batchGroups };
  }

  /** Removes a batch and runs `action` in the same transaction. `action` writes at most `bytes`. */
  remove(batch: ClickBatch, bytes: number, action: () => void): void {
    this.#environment.free(bytes, ({ groups, state }) => {
      for (const key of batch.groups) groups.remove(key);
      state.remove(BATCH_KEY);
      action();
    });
    for (const [, clicks, bytes] of batch.groups) {
      this.#clicks -= clicks;
      this.#bytes -= bytes;
    }
  }

  /** Returns the first click, or undefined if the queue is empty. */
  first(): Click | undefined {
    for (const key of this.#readableKeys()) return this.#read(key)?.[0];
    return undefined;
  }

  /** Yields the keys of all groups within the bounds, except groups known to be unreadable. */
  *#readableKeys(bounds: { start?: GroupKey; end?: GroupKey } = {}): Iterable<GroupKey> {
    for (const key of this.#environment.tables.groups.getKeys(bounds)) if (!this.#unreadable.has(key[0])) yield key;
  }

  /** Returns the groups at the front that form a new batch. */
  #keysAtFront(maxClicks: number): GroupKey[] {
    const keys: GroupKey[] = [];
    let [clicks, bytes] = [0, 0];
    for (const key of this.#readableKeys()) {
      clicks += key[1];
      bytes += key[2];
      if (keys.length > 0 && (clicks > maxClicks || bytes > BATCH_MAX_BYTES)) break;
      keys.push(key);
    }
    return keys;
  }

  #keysOnRecord(record: string): GroupKey[] {
    const { first, last } = parseRecord(record);
    // A short key sorts before every longer key that starts with it.
    const bounds = { start: [first] as unknown as GroupKey, end: [last + 1] as unknown as GroupKey };
    return [...this.#readableKeys(bounds)];
  }

  #record({ first, last, token }: BatchRecord): void {
    this.#environment.free(0, ({ state }) => state.put(BATCH_KEY, JSON.stringify([first, last, token])));
  }

  /** Returns the clicks of a group, or null if it cannot be read. */
  #read(key: GroupKey): Click[] | null {
    try {
      return clicksOfGroup(key, this.#environment.tables.groups.get(key));
    } catch {
      return null;
    }
  }

  /** Records unreadable groups, so that the next process skips them too. */
  #skip(keys: GroupKey[]): void {
    const foundAt = new Date().toISOString();
    this.#environment.free(keys.length * spaceOf(foundAt.length), ({ unreadable }) => {
      for (const [number] of keys) unreadable.put(number, foundAt);
    });
    for (const [number, clicks] of keys) {
      this.#unreadable.add(number);
      this.#clicks -= clicks;
    }
    this.#onUnreadable(keys);
  }
}

function parseRecord(record: string): BatchRecord {
  const [first, last, token] = JSON.parse(record) as [number, number, string?];
  return { first, last, token };
}

function tokenOf(clicks: readonly Click[]): string {
  return hash('sha256', clicks.map(({ id }) => id).join('')).slice(0, 32);
}
