import type { Collection } from '../storage/collection.ts';
import { recordOf } from '../storage/keys.ts';
import type { Store } from '../storage/store.ts';
import type { IndexPlan, Plan, Segment } from './planner.ts';

/** How many keys a range has, at most `most`; the cost is that of the keys counted. */
export function countKeys(database: Store['entries'], range: { start: Buffer; end: Buffer }, most: number): number {
  // LMDB's count knows no limit, so the limit is tried first: whether there is a key so far on.
  if (Number.isFinite(most)) for (const _key of database.getKeys({ ...range, offset: most - 1, limit: 1 })) return most;
  return database.getKeysCount(range);
}

/** One run of keys that can be left at any key and taken up again there, without holding anything open in between. */
class KeyRun {
  private readonly database: Store['entries'];
  private readonly segment: { start: Buffer; end: Buffer };
  private readonly reverse: boolean;
  private keys: Iterator<Buffer> | undefined;
  private last: Buffer | undefined;
  private beforeLast: Buffer | undefined;

  constructor(database: Store['entries'], segment: { start: Buffer; end: Buffer }, reverse: boolean) {
    this.database = database;
    this.segment = segment;
    this.reverse = reverse;
  }

  next(): Buffer | undefined {
    this.keys ??= this.open(0);
    const { value, done } = this.keys.next();
    if (done) return undefined;
    this.beforeLast = this.last;
    this.last = value;
    return value;
  }

  /** Takes back the last key: the next call gives it again, if it is still stored. */
  stepBack(): void {
    this.suspend();
    this.last = this.beforeLast;
  }

  /** How many keys the whole run has, at most `most`. */
  count(most: number): number {
    return countKeys(this.database, this.segment, most);
  }

  /** Steps over up to `count` keys; gives how many there were. */
  skip(count: number): number {
    this.suspend();
    let skipped = 0;
    // The offset of LMDB's cursor steps without handing the keys out; the key before the first wanted one is kept.
    const [key] = this.iterable(count - 1, 1);
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

  private open(offset: number): Iterator<Buffer> {
    return this.iterable(offset)[Symbol.iterator]();
  }

  private iterable(offset: number, limit?: number): Iterable<Buffer> {
    const { start, end } = this.segment;
    const range = this.reverse
      ? { start: this.last ?? end, exclusiveStart: true, end: start, inclusiveEnd: true, reverse: true }
      : { start: this.last ?? start, exclusiveStart: this.last !== undefined, end };
    return this.database.getKeys({ ...range, ...(offset > 0 ? { offset } : {}), ...(limit ? { limit } : {}) });
  }
}

/**
 * Walks the records of a plan in its order, each once. Between two calls the scan may be suspended: it then holds no
 * snapshot, and goes on behind the last key with what is stored by then.
 */
export class Scan {
  /** How many keys were read. */
  keysExamined = 0;
  private readonly runs: KeyRun[];
  private readonly fixed: number[];
  private readonly merge: boolean;
  private readonly reverse: boolean;
  private readonly seen: Set<number> | undefined;
  private heads: (Buffer | undefined)[] | undefined;
  private at = 0;

  constructor(store: Store, collection: Collection, plan: Plan) {
    if (plan.kind === 'collection') {
      this.runs = [new KeyRun(store.documents, collection.range(), plan.reverse)];
      this.fixed = [0];
      this.reverse = plan.reverse;
      this.merge = false;
      return;
    }
    const plans = plan.kind === 'index' ? [plan] : plan.plans;
    const segments: [IndexPlan, Segment][] = plans.flatMap((one) =>
      (one.reverse && !one.merge ? [...one.segments].reverse() : one.segments).map((segment): [IndexPlan, Segment] => [
        one,
        segment,
      ]),
    );
    this.runs = segments.map(([one, segment]) => new KeyRun(store.entries, segment, one.reverse));
    this.fixed = segments.map(([, segment]) => segment.fixed);
    this.reverse = plan.kind === 'index' && plan.reverse;
    this.merge = plan.kind === 'index' && plan.merge;
    if (plan.kind === 'union' || plan.repeats) this.seen = new Set();
  }

  /** The next record, or undefined at the end. */
  next(): number | undefined {
    for (;;) {
      const key = this.merge ? this.nextMerged() : this.nextInOrder();
      if (key === undefined) return undefined;
      this.keysExamined += 1;
      const record = recordOf(key);
      if (!this.seen) return record;
      if (this.seen.has(record)) continue;
      this.seen.add(record);
      return record;
    }
  }

  /** Steps over `count` records without looking at them. */
  skip(count: number): void {
    let left = count;
    if (this.seen || this.merge) {
      while (left > 0 && this.next() !== undefined) left -= 1;
      return;
    }
    while (left > 0 && this.at < this.runs.length) {
      const skipped = (this.runs[this.at] as KeyRun).skip(left);
      this.keysExamined += skipped;
      left -= skipped;
      if (left > 0) this.at += 1;
    }
  }

  /** How many records the whole plan has, at most `most`; instead of walking them. */
  count(most: number): number {
    let total = 0;
    if (this.seen) while (total < most && this.next() !== undefined) total += 1;
    else {
      for (const run of this.runs) if (total < most) total += run.count(most - total);
      this.keysExamined += total;
    }
    return total;
  }

  /** Lets go of the snapshot. */
  suspend(): void {
    // Keys that were read ahead for a merge may be out of date by the time the scan goes on.
    this.heads?.forEach((head, at) => {
      if (head !== undefined) this.runs[at]?.stepBack();
    });
    this.heads = undefined;
    for (const run of this.runs) run.suspend();
  }

  private nextInOrder(): Buffer | undefined {
    while (this.at < this.runs.length) {
      const key = (this.runs[this.at] as KeyRun).next();
      if (key !== undefined) return key;
      this.at += 1;
    }
    return undefined;
  }

  private nextMerged(): Buffer | undefined {
    this.heads ??= this.runs.map((run) => run.next());
    let best = -1;
    for (let at = 0; at < this.heads.length; at += 1) {
      if (this.heads[at] === undefined) continue;
      if (best < 0 || this.compareHeads(at, best) < 0) best = at;
    }
    if (best < 0) return undefined;
    const key = this.heads[best];
    this.heads[best] = (this.runs[best] as KeyRun).next();
    return key;
  }

  private compareHeads(a: number, b: number): number {
    const [x, y] = [this.heads?.[a] as Buffer, this.heads?.[b] as Buffer];
    const order = x.compare(y, this.fixed[b], y.length, this.fixed[a], x.length);
    return this.reverse ? -order : order;
  }
}
