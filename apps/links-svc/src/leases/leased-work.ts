import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Lease } from '../database/documents/lease.ts';

export interface LeasedWorkOptions {
  /** Returns the documents that have work. */
  list(): Promise<readonly Lease[]>;
  /**
   * Takes the lease if its beat is still this one, and works until nothing is left or `ending` aborts. Then it gives the
   * lease back. Meanwhile it renews the beat, and stops once another replica has the lease.
   */
  work(lease: Lease, ending: AbortSignal): Promise<void>;
  /** Receives the error of a look or of work, which is tried again. */
  onError(error: unknown): void;
  /** Returns a time that only grows, in milliseconds. Default: `performance.now`. */
  stopwatch?: (() => number) | undefined;
  /** How many documents a replica works on at once. Default: few, as is right for jobs. */
  concurrency?: number | undefined;
}

/** How often a replica looks for work that no request on it began. */
const LOOK_EVERY_MS = 1_000;
/** A lease whose beat stands still for this long is taken over. A holder that still lives then loses it. */
const ABANDONED_AFTER_MS = 10_000;
/** Few, because each has a part of a job in the queue of changes, and requests wait behind all of them. */
const CONCURRENCY_OF_JOBS = 4;
/** If other work waits, work gives its lease back after this long. */
const SLICE_MS = 2_000;

/** The beat of each lease, and since when it is the same. */
type Seen = Map<string, { beat: string; sinceMs: number }>;

interface Running {
  ending: AbortController;
  sinceMs: number;
  ended: Promise<void>;
}

/**
 * Work that replicas share: each piece of it has a document with a lease. No clock decides who holds a lease. A replica
 * takes one over if it has seen the same beat for too long by its own stopwatch, and the former holder notices it with its
 * next step (ADR 53).
 */
export class LeasedWork {
  /** This process, as leases name it. */
  readonly holder = randomUUID();
  readonly #options: LeasedWorkOptions;
  readonly #stopwatch: () => number;
  readonly #running = new Map<string, Running>();
  /** What the last look saw. */
  #seen: Seen = new Map();
  #pause = new AbortController();
  #isClosing = false;
  #looking: Promise<void> | undefined;

  constructor(options: LeasedWorkOptions) {
    this.#options = options;
    this.#stopwatch = options.stopwatch ?? (() => performance.now());
  }

  /** Returns how many pieces of work run here. */
  get running(): number {
    return this.#running.size;
  }

  /** Starts to look for work. */
  start(): void {
    this.#looking = this.#lookAgainAndAgain();
  }

  /** Looks for work now. */
  wake(): void {
    this.#pause.abort();
  }

  /** Ends the work after its current steps, and gives the leases back. */
  async close(): Promise<void> {
    this.#isClosing = true;
    this.wake();
    await this.#looking;
    for (const { ending } of this.#running.values()) ending.abort();
    await Promise.all([...this.#running.values()].map(({ ended }) => ended));
  }

  async #lookAgainAndAgain(): Promise<void> {
    while (!this.#isClosing) {
      this.#pause = new AbortController();
      const { signal } = this.#pause;
      await this.#look().catch(this.#options.onError);
      if (!this.#isClosing) await sleep(LOOK_EVERY_MS, undefined, { signal }).catch(() => {});
    }
  }

  async #look(): Promise<void> {
    const leases = await this.#options.list();
    if (this.#isClosing) return;
    const nowMs = this.#stopwatch();
    const seen: Seen = new Map();
    for (const { _id, beat } of leases) {
      const before = this.#seen.get(_id);
      seen.set(_id, before?.beat === beat ? before : { beat, sinceMs: nowMs });
    }
    this.#seen = seen;
    const waitsMs = ({ _id }: Lease) => nowMs - seen.get(_id)!.sinceMs;
    const free = leases.filter((lease) => this.#isFree(lease, waitsMs(lease)));
    // What nobody has worked on for longest comes first.
    free.sort((a, b) => waitsMs(b) - waitsMs(a));
    const room = (this.#options.concurrency ?? CONCURRENCY_OF_JOBS) - this.#running.size;
    for (const lease of free.slice(0, room)) this.#begin(lease, nowMs);
    if (free.length <= room) return;
    for (const { ending, sinceMs } of this.#running.values()) if (nowMs - sinceMs >= SLICE_MS) ending.abort();
  }

  #isFree({ _id, holder }: Lease, waitsMs: number): boolean {
    if (this.#running.has(_id)) return false;
    // Work that failed did not give its lease back.
    return holder === null || holder === this.holder || waitsMs >= ABANDONED_AFTER_MS;
  }

  #begin(lease: Lease, sinceMs: number): void {
    const ending = new AbortController();
    const ended = this.#options
      .work(lease, ending.signal)
      .catch(this.#options.onError)
      .finally(() => this.#running.delete(lease._id));
    this.#running.set(lease._id, { ending, sinceMs, ended });
  }
}
