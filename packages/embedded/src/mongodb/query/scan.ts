import type { Collection } from '../storage/collection.ts';
import { recordOf } from '../storage/keys.ts';
import type { View } from '../storage/view.ts';
import type { Plan, Segment } from './planner.ts';

/** A range of keys that can be left at any key and resumed there; holds nothing open in between. */
class KeyRun {
  private readonly database: View['entries'];
  private readonly segment: Segment;
  private readonly reverse: boolean;
  private keys: Iterator<Buffer> | undefined;
  private last: Buffer | undefined;

  constructor(database: View['entries'], segment: Segment, reverse: boolean) {
    this.database = database;
    this.segment = segment;
    this.reverse = reverse;
  }

  next(): Buffer | undefined {
    this.keys ??= this.iterable()[Symbol.iterator]();
    const { value, done } = this.keys.next();
    if (done) return undefined;
    this.last = value;
    return value;
  }

  /** Counts the keys of the whole range, at most `most`. */
  count(most: number): number {
    // LMDB cannot limit a count, so check first whether a key exists at the limit.
    if (Number.isFinite(most))
      for (const _key of this.database.getKeys({ ...this.segment, offset: most - 1, limit: 1 })) return most;
    return this.database.getKeysCount({ ...this.segment }); // lmdb changes the object
  }

  /** Skips up to `count` keys and returns how many there were. */
  skip(count: number): number {
    this.suspend();
    let skipped = 0;
    // The cursor's offset skips keys without returning them. Keeps the last skipped key as the position.
    const [key] = this.iterable({ offset: count - 1, limit: 1 });
    if (key !== undefined) {
      this.last = key;
      return count;
    }
    while (this.next() !== undefined) skipped += 1;
    return skipped;
  }

  suspend(): void {
    this.keys?.return?.();
    this.keys = undefined;
  }

  private iterable(more: { offset?: number; limit?: number } = {}): Iterable<Buffer> {
    const { start, end } = this.segment;
    const range = this.reverse
      ? { start: this.last ?? end, exclusiveStart: true, end: start, inclusiveEnd: true, reverse: true }
      : { start: this.last ?? start, exclusiveStart: this.last !== undefined, end };
    return this.database.getKeys({ ...range, ...more });
  }
}

/**
 * Iterates over the records of a plan in its order, each once. The scan may be suspended between two calls: it then
 * holds no snapshot, and continues after the last key with the data stored at that time.
 */
export class Scan {
  private readonly runs: KeyRun[];
  private readonly seen: Set<number> | undefined;
  private at = 0;

  constructor(collection: Collection, plan: Plan) {
    const { documents, entries } = collection.view;
    if (plan.kind === 'collection') {
      this.runs = [new KeyRun(documents, collection.range(), false)];
      return;
    }
    const segments = plan.reverse ? [...plan.segments].reverse() : plan.segments;
    this.runs = segments.map((segment) => new KeyRun(entries, segment, plan.reverse));
    if (plan.repeats) this.seen = new Set();
  }

  /** Returns the next record, or undefined at the end. */
  next(): number | undefined {
    while (this.at < this.runs.length) {
      const key = (this.runs[this.at] as KeyRun).next();
      if (key === undefined) {
        this.at += 1;
        continue;
      }
      const record = recordOf(key);
      if (!this.seen) return record;
      if (this.seen.has(record)) continue;
      this.seen.add(record);
      return record;
    }
    return undefined;
  }

  /** Skips `count` records without reading them. */
  skip(count: number): void {
    let left = count;
    while (left > 0 && this.at < this.runs.length) {
      left -= (this.runs[this.at] as KeyRun).skip(left);
      if (left > 0) this.at += 1;
    }
  }

  /** Counts the records of the whole plan without iterating over them, at most `most`. */
  count(most: number): number {
    let total = 0;
    for (const run of this.runs) if (total < most) total += run.count(most - total);
    return total;
  }

  /** Releases the snapshot. */
  suspend(): void {
    for (const run of this.runs) run.suspend();
  }
}
