import type { Collection } from '../storage/collection.ts';
import { recordOf } from '../storage/keys.ts';
import type { StoredData } from '../storage/tables.ts';
import type { Plan, Segment } from './plan.ts';

/** A range of keys that can be left at any key and resumed there; holds nothing open in between. */
class KeyRun {
  private readonly view: StoredData;
  private readonly database: StoredData['entries'];
  private readonly segment: Segment;
  private readonly reverse: boolean;
  private keys: Iterator<Buffer> | undefined;
  /** The next key, if it was read. */
  private ahead: Buffer | undefined;
  /** The last key that was returned by `next`. */
  private last: Buffer | undefined;
  private isAtEnd = false;

  constructor(view: StoredData, database: StoredData['entries'], segment: Segment, reverse: boolean) {
    this.view = view;
    this.database = database;
    this.segment = segment;
    this.reverse = reverse;
  }

  /** Returns the next key, or undefined at the end. */
  next(): Buffer | undefined {
    const key = this.peek();
    if (key) this.last = key;
    this.ahead = undefined;
    return key;
  }

  /** Returns the next key without going beyond it. */
  peek(): Buffer | undefined {
    if (this.ahead || this.isAtEnd) return this.ahead;
    this.keys ??= this.iterable()[Symbol.iterator]();
    const { value, done } = this.keys.next();
    if (done) this.isAtEnd = true;
    else this.ahead = value;
    return this.ahead;
  }

  /** Returns whether the next key comes before that of another run, by what follows their prefixes. */
  isBefore(other: KeyRun): boolean {
    const [mine, others] = [this.peek(), other.peek()];
    if (!mine || !others) return mine !== undefined;
    const order = mine.compare(others, other.segment.prefix, others.length, this.segment.prefix, mine.length);
    return this.reverse ? order > 0 : order < 0;
  }

  /** Counts the keys of the whole range, at most `most`. */
  count(most: number): number {
    // LMDB cannot limit a count, so check first whether a key exists at the limit.
    if (Number.isFinite(most))
      for (const _key of this.database.getKeys({ ...this.whole(), offset: most - 1, limit: 1 })) return most;
    return this.database.getKeysCount(this.whole());
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
    this.ahead = undefined;
    this.isAtEnd = false;
  }

  private iterable(more: { offset?: number; limit?: number } = {}): Iterable<Buffer> {
    const { start, end } = this.segment;
    const range = this.reverse
      ? { start: this.last ?? end, exclusiveStart: true, end: start, inclusiveEnd: true, reverse: true }
      : { start: this.last ?? start, exclusiveStart: this.last !== undefined, end };
    return this.database.getKeys({ ...range, ...more, ...this.view.reading });
  }

  private whole() {
    return { ...this.segment, ...this.view.reading };
  }
}

/**
 * Iterates over the records of a plan in its order, each once. The scan may be suspended between two calls: it then
 * holds no snapshot, and continues after the last key with the data stored at that time.
 */
export class Scan {
  private readonly runs: KeyRun[];
  private readonly seen: Set<number> | undefined;
  private readonly isMerged: boolean;
  private at = 0;

  constructor(collection: Collection, plan: Plan) {
    const { view } = collection;
    if (plan.kind === 'collection') {
      this.runs = [new KeyRun(view, view.documents, { ...collection.range(), prefix: 0 }, false)];
      this.isMerged = false;
      return;
    }
    this.isMerged = plan.merged;
    const segments = plan.reverse ? [...plan.segments].reverse() : plan.segments;
    this.runs = segments.map((segment) => new KeyRun(view, view.entries, segment, plan.reverse));
    if (plan.repeats) this.seen = new Set();
  }

  /** Returns the next record, or undefined at the end. */
  next(): number | undefined {
    for (;;) {
      const key = this.isMerged ? this.leastRun().next() : this.nextInTurn();
      if (key === undefined) return undefined;
      const record = recordOf(key);
      if (!this.seen) return record;
      if (this.seen.has(record)) continue;
      this.seen.add(record);
      return record;
    }
  }

  private nextInTurn(): Buffer | undefined {
    for (; this.at < this.runs.length; this.at += 1) {
      const key = (this.runs[this.at] as KeyRun).next();
      if (key) return key;
    }
    return undefined;
  }

  private leastRun(): KeyRun {
    return this.runs.reduce((least, run) => (run.isBefore(least) ? run : least));
  }

  /** Skips `count` records without reading them. */
  skip(count: number): void {
    let left = count;
    if (this.isMerged) while (left > 0 && this.leastRun().next()) left -= 1;
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
