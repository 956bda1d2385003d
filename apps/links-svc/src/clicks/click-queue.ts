import { hash } from 'node:crypto';
import type { Click } from './click.ts';
import { clicksOfGroup, groupOf, partsOf } from './click-group.ts';
import { type SpoolEnvironment, spaceOf } from './spool-environment.ts';
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

/** The bounds of a batch. Those that an earlier version wrote have no token. */
interface BatchRecord {
  first: number;
  last: number;
  token: string | undefined;
}

/** Well below the 8 MiB that a gRPC message may have. */
const BATCH_MAX_BYTES = 4 * 1_024 * 1_024;

/** Groups of clicks in their order: added at the end, removed from the front in batches. */
export class ClickQueue {
  readonly #environment: SpoolEnvironment;
  readonly #onUnreadable: (groups: GroupKey[]) => void;
  /** Numbers of groups that cannot be read. They stay where they are: LMDB cannot be trusted to remove them. */
  readonly #unreadable: Set<number>;
  #nextNumber: number;
  #clicks = 0;
  #bytes = 0;

  /** `onUnreadable` is called with groups that turn out to be unreadable, once for each. */
  constructor(environment: SpoolEnvironment, onUnreadable: (groups: GroupKey[]) => void) {
    this.#environment = environment;
    this.#onUnreadable = onUnreadable;
    this.#unreadable = new Set(environment.tables.unreadable.getKeys());
    for (const [number, clicks, bytes] of environment.tables.groups.getKeys()) {
      if (!this.#unreadable.has(number)) this.#clicks += clicks;
      this.#bytes += bytes;
    }
    // Kept apart from the groups, since there may be none left: the mark of a dirty link is the number of a group.
    this.#nextNumber = Number(environment.tables.state.get(STORED_KEY) ?? 0) + 1;
  }

  /** The number that the next group gets. */
  get nextNumber(): number {
    return this.#nextNumber;
  }

  /** How many clicks are in the groups that can be read. */
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

  /** True if a batch was cut and is neither acknowledged nor rejected. */
  hasBatch(): boolean {
    return this.#environment.tables.state.get(BATCH_KEY) !== undefined;
  }

  /**
   * Returns the batch that was cut last, or else cuts a new one of at most `maxClicks` (or one group, if that is longer),
   * which is on record before this returns. Groups that cannot be read are passed over. Null if that leaves none.
   */
  nextBatch(maxClicks: number): ClickBatch | null {
    const record = this.#environment.tables.state.get(BATCH_KEY);
    const keys = record === undefined ? this.#keysAtFront(maxClicks) : this.#keysOnRecord(record);
    const groups = keys.map((key) => ({ key, clicks: this.#read(key) }));
    const readable = groups.flatMap(({ key, clicks }) => (clicks === null ? [] : [{ key, clicks }]));
    if (readable.length < groups.length)
      this.#passOver(groups.flatMap(({ key, clicks }) => (clicks === null ? [key] : [])));
    const clicks = readable.flatMap((group) => group.clicks);
    if (clicks.length === 0) {
      if (record !== undefined) this.#environment.free(0, ({ state }) => state.remove(BATCH_KEY));
      return null;
    }
    const batchGroups = readable.map(({ key }) => key);
    // What is left of a batch that may have been sent keeps its token, so that it cannot count twice.
    const token = (record && parseRecord(record).token) ?? tokenOf(clicks);
    if (record === undefined) this.#record({ first: batchGroups[0]![0], last: batchGroups.at(-1)![0], token });
    return { token, clicks, maybeSent: record !== undefined, groups: batchGroups };
  }

  /** Removes a batch, together with what `action` writes: so many bytes at most. */
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

  /** The first click; undefined if there is none. */
  first(): Click | undefined {
    for (const key of this.#readableKeys()) return this.#read(key)?.[0];
    return undefined;
  }

  /** The keys of all groups, or of those within bounds, but for those known as unreadable. */
  *#readableKeys(bounds: { start?: GroupKey; end?: GroupKey } = {}): Iterable<GroupKey> {
    for (const key of this.#environment.tables.groups.getKeys(bounds)) if (!this.#unreadable.has(key[0])) yield key;
  }

  /** The groups at the front that make a new batch. */
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
    // A shorter key sorts before every longer one that begins with it.
    const bounds = { start: [first] as unknown as GroupKey, end: [last + 1] as unknown as GroupKey };
    return [...this.#readableKeys(bounds)];
  }

  #record({ first, last, token }: BatchRecord): void {
    this.#environment.free(0, ({ state }) => state.put(BATCH_KEY, JSON.stringify([first, last, token])));
  }

  /** The clicks of a group; null if it cannot be read. */
  #read(key: GroupKey): Click[] | null {
    try {
      return clicksOfGroup(key, this.#environment.tables.groups.get(key));
    } catch {
      return null;
    }
  }

  /** Remembers groups that cannot be read, also for the next process. */
  #passOver(keys: GroupKey[]): void {
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
