import { decodeFields } from '../bson/bson.ts';
import type { Document } from '../bson/values.ts';
import { CommandError } from '../errors.ts';
import type { Collection } from '../storage/collection.ts';
import type { Filter } from './filter.ts';
import type { IndexPlan, Plan } from './plan.ts';
import { choosePlan } from './planner.ts';
import { Scan } from './scan.ts';
import { compareSortKeys, type SortField, sortKey } from './sort.ts';

/** The parameters of a find. */
export interface Find {
  filter: Filter;
  sort: readonly SortField[];
  /** The name of the only index to use. */
  hint?: string | undefined;
  skip: number;
  /** 0 for no limit. */
  limit: number;
  /**
   * Time on the clock of `performance.now()` after which the operation fails with MaxTimeMSExpired (50), or undefined.
   */
  deadline: number | undefined;
}

/** A matching document. */
export interface Match {
  record: number;
  bytes: Buffer;
}

/** The value that a long operation yields so that other work can run; it may be resumed at any later time. */
export const PAUSE = Symbol('pause');

/** How long an operation runs before it yields a pause. */
const SLICE_MS = 8;
const STEPS_BETWEEN_LOOKS = 32;
/** How many keys are skipped between two looks at the clock. */
const SKIPPED_AT_ONCE = 1000;
/** How many documents a search in the order of the sort tests before it may look up which of the others match. */
const TESTED_MIN = 500;
/** How many keys of an index are read in the time in which one document is tested. */
const KEYS_PER_DOCUMENT = 10;
/** The maximum memory of a sort without an index, as in MongoDB. */
const MAX_SORT_BYTES = 100 * 1024 * 1024;

/**
 * The execution of a find: iterates over the matches in order and yields pauses in between. It decodes only the fields
 * that the filter and an in-memory sort read, and none if the index covers both filter and sort.
 */
export class Execution {
  readonly plan: Plan;
  private readonly collection: Collection;
  private readonly find: Find;
  private readonly scan: Scan;
  private sliceEnd = performance.now() + SLICE_MS;

  constructor(collection: Collection, find: Find) {
    this.collection = collection;
    this.find = find;
    this.plan = choosePlan(collection, find.filter, find.sort, find.hint);
    this.scan = new Scan(collection, this.plan);
  }

  /** Releases what is held between two steps; the next step acquires it again. */
  suspend(): void {
    this.scan.suspend();
  }

  /**
   * Yields the matches in order, with skip and limit applied. Holds nothing after it has ended, thrown or been closed.
   */
  *matches(): Generator<Match | typeof PAUSE> {
    try {
      yield* this.plan.sorted ? this.inOrder() : this.sorted();
    } finally {
      this.suspend();
    }
  }

  private *inOrder(): Generator<Match | typeof PAUSE> {
    const { skip, limit } = this.find;
    let left = limit === 0 ? Number.POSITIVE_INFINITY : limit;
    let toSkip = skip;
    if (this.plan.exact) {
      for (; toSkip > 0; toSkip -= SKIPPED_AT_ONCE) {
        this.scan.skip(Math.min(toSkip, SKIPPED_AT_ONCE));
        yield* this.pauseIfDue();
      }
      toSkip = 0;
    }
    for (const match of this.unsorted(this.find.filter.fields)) {
      if (match === PAUSE) yield PAUSE;
      else if (toSkip > 0) toSkip -= 1;
      else {
        yield { record: match.record, bytes: match.bytes };
        left -= 1;
        if (left === 0) return;
      }
    }
  }

  /** Counts the matches up to the limit. Counts only keys if the index bounds cover the whole filter. */
  *count(): Generator<typeof PAUSE, number> {
    const { limit } = this.find;
    const most = limit === 0 ? Number.POSITIVE_INFINITY : limit;
    let total = 0;
    try {
      if (this.plan.exact) total = this.scan.count(most);
      else {
        for (const match of this.unsorted(this.find.filter.fields)) {
          if (match === PAUSE) yield PAUSE;
          else total += 1;
          if (total === most) break;
        }
      }
    } finally {
      this.suspend();
    }
    return total;
  }

  private *sorted(): Generator<Match | typeof PAUSE> {
    const { sort, skip, limit, filter } = this.find;
    const fields = new Set([...filter.fields, ...sort.map(({ path }) => path)]);
    const most = limit === 0 ? Number.POSITIVE_INFINITY : skip + limit;
    let held: { key: unknown[]; match: Match }[] = [];
    let bytes = 0;
    const order = (a: { key: unknown[] }, b: { key: unknown[] }) => compareSortKeys(a.key, b.key, sort);
    for (const match of this.unsorted(fields)) {
      if (match === PAUSE) {
        yield PAUSE;
        continue;
      }
      const document = match.document ?? decodeFields(match.bytes, fields);
      held.push({ key: sortKey(document, sort), match: { record: match.record, bytes: match.bytes } });
      bytes += match.bytes.length;
      if (held.length > most * 2 + 1000) {
        held = held.sort(order).slice(0, most);
        bytes = held.reduce((total, { match: kept }) => total + kept.bytes.length, 0);
      }
      if (bytes > MAX_SORT_BYTES) {
        throw new CommandError(
          292,
          `Sort exceeded memory limit of ${MAX_SORT_BYTES} bytes, but did not opt in to external sorting.`,
        );
      }
    }
    held.sort(order);
    for (const { match } of held.slice(skip, most)) yield match;
  }

  private *unsorted(
    fields: ReadonlySet<string>,
  ): Generator<(Match & { document: Document | undefined }) | typeof PAUSE> {
    const { filter } = this.find;
    const { exact } = this.plan;
    let among: Set<number> | undefined;
    let tested = 0;
    let nextLook = TESTED_MIN;
    for (let steps = 1; ; steps += 1) {
      if (steps % STEPS_BETWEEN_LOOKS === 0) yield* this.pauseIfDue();
      if (!among && tested === nextLook) {
        nextLook *= 2;
        const narrow = this.narrowPlan(tested * KEYS_PER_DOCUMENT);
        if (narrow) among = yield* this.recordsOf(narrow);
      }
      const record = this.scan.next();
      if (record === undefined) return;
      if (among && !among.has(record)) continue;
      tested += 1;
      // Most documents of a scan do not match, so they are not copied.
      const bytes = exact ? this.collection.read(record) : this.collection.peek(record);
      if (!bytes) continue; // deleted since its key was read
      if (exact) yield { record, bytes, document: undefined };
      else {
        const document = decodeFields(bytes, fields);
        if (filter.test(document)) yield { record, bytes: Buffer.copyBytesFrom(bytes, 0, bytes.length), document };
      }
    }
  }

  /** Returns a plan with the keys of all matches, fewer than `max` and than half of this plan, or undefined. */
  private narrowPlan(max: number): IndexPlan | undefined {
    if (this.plan.kind === 'collection' || !this.plan.narrow) return undefined;
    const most = Math.min(max, new Scan(this.collection, this.plan).count(2 * max) / 2);
    return this.plan.narrow.find((plan) => new Scan(this.collection, plan).count(max) < most);
  }

  /** Returns the records of a plan. Documents may change meanwhile, so they still have to be tested. */
  private *recordsOf(plan: IndexPlan): Generator<typeof PAUSE, Set<number>> {
    const scan = new Scan(this.collection, plan);
    const records = new Set<number>();
    try {
      for (let record = scan.next(); record !== undefined; record = scan.next()) {
        records.add(record);
        if (records.size % STEPS_BETWEEN_LOOKS === 0) yield* this.pauseIfDue(scan);
      }
      return records;
    } finally {
      scan.suspend();
    }
  }

  /** Lets other work run if the slice is over. */
  *pauseIfDue(otherScan?: Scan): Generator<typeof PAUSE> {
    if (!this.outOfTime()) return;
    this.suspend();
    otherScan?.suspend();
    yield PAUSE;
    // The time that other work took during the pause does not count for this operation.
    this.sliceEnd = performance.now() + SLICE_MS;
  }

  private outOfTime(): boolean {
    const now = performance.now();
    if (this.find.deadline !== undefined && now > this.find.deadline) {
      throw new CommandError(50, 'operation exceeded time limit');
    }
    // The writer does not pause: nobody else may write in between.
    return now >= this.sliceEnd && !this.collection.view.isWorking;
  }
}

/** Runs an operation and lets other work run at its pauses. */
export function runWithPauses<T>(operation: Generator<typeof PAUSE, T>): T | Promise<T> {
  const step = operation.next();
  return step.done ? step.value : resume(operation);
}

async function resume<T>(operation: Generator<typeof PAUSE, T>): Promise<T> {
  for (;;) {
    await new Promise((resolve) => setImmediate(resolve));
    const step = operation.next();
    if (step.done) return step.value;
  }
}
