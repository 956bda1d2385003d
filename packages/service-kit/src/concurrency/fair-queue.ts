import { AppError, BUSY_MESSAGE } from '@waymark/contract';

export interface FairQueueOptions {
  /** How many jobs run concurrently. */
  concurrency: number;
  /** How many of the running jobs may belong to one user. Default: all of them. */
  concurrencyOfUser?: number;
  /** How many jobs may wait. */
  maxWaiting: number;
  /** How many of the waiting jobs may belong to one user. Default: all of them. */
  maxWaitingOfUser?: number;
}

interface Job {
  users: readonly string[];
  start(): void;
  refuse(): void;
}

/** Small enough to forget old use. Larger than a queue of one or two seconds, so that a flood is recognized. */
const RECENT_JOBS = 32;

/**
 * A queue that runs a limited number of jobs concurrently and prefers users with little recent use. A job can have
 * several users, for example an account and an address. Its weight is the number of recent starts of each of its users,
 * highest first. The waiting job with the lowest weight starts next, and the oldest one among equals. When too many
 * jobs wait, the one with the highest weight is refused; for this, the waiting jobs of its users count too.
 *
 * So a flood through one account delays no other account, however many addresses it comes from. A flood from one
 * address delays neither other addresses, however many accounts it reaches, nor other addresses of the same account.
 */
export class FairQueue {
  readonly #options: FairQueueOptions;
  /** The waiting jobs in the order of arrival. */
  readonly #waiting = new Set<Job>();
  readonly #waitingOf = new Tally();
  #running = 0;
  readonly #runningOf = new Tally();
  /** The users of the jobs that started most recently. */
  readonly #recent: (readonly string[])[] = [];
  readonly #recentOf = new Tally();

  constructor(options: FairQueueOptions) {
    this.#options = options;
  }

  /**
   * Runs the work when its turn comes and returns its result. If the signal is aborted before that, the job leaves the
   * queue.
   * @throws {AppError} `unavailable` if its turn does not come within `maxWaitMs`, if too many jobs of one of its users
   *   are waiting, or if too many jobs are waiting and this one has the highest weight.
   * @throws the reason of the signal if it is aborted while the job waits.
   */
  async run<Result>(
    users: readonly string[],
    work: () => Promise<Result>,
    maxWaitMs: number,
    signal?: AbortSignal,
  ): Promise<Result> {
    await this.#turn(users, maxWaitMs, signal);
    try {
      return await work();
    } finally {
      this.#running -= 1;
      this.#runningOf.subtract(users);
      this.#startNext();
    }
  }

  #turn(users: readonly string[], maxWaitMs: number, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    const { maxWaiting, maxWaitingOfUser = Infinity } = this.#options;
    return new Promise((resolve, reject) => {
      const abandon = () => {
        leave();
        reject(signal?.reason);
      };
      const leave = () => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', abandon);
        this.#waiting.delete(job);
        this.#waitingOf.subtract(users);
      };
      const job: Job = {
        users,
        start: () => {
          leave();
          resolve();
        },
        refuse: () => {
          leave();
          reject(new AppError('unavailable', BUSY_MESSAGE));
        },
      };
      const timer = setTimeout(job.refuse, maxWaitMs);
      signal?.addEventListener('abort', abandon);
      this.#waiting.add(job);
      this.#waitingOf.add(users);
      this.#startNext();
      if (!this.#waiting.has(job)) return;
      if (users.some((user) => this.#waitingOf.of(user) > maxWaitingOfUser)) job.refuse();
      else if (this.#waiting.size > maxWaiting) this.#heaviest().refuse();
    });
  }

  #startNext(): void {
    while (this.#running < this.#options.concurrency) {
      const job = this.#lightest();
      if (job === undefined) return;
      this.#running += 1;
      this.#runningOf.add(job.users);
      this.#recent.push(job.users);
      this.#recentOf.add(job.users);
      if (this.#recent.length > RECENT_JOBS) this.#recentOf.subtract(this.#recent.shift()!);
      job.start();
    }
  }

  /** Returns the job to start next, or undefined if none may start. */
  #lightest(): Job | undefined {
    const { concurrencyOfUser = Infinity } = this.#options;
    let lightest: Job | undefined;
    let least: number[] = [];
    for (const job of this.#waiting) {
      if (job.users.some((user) => this.#runningOf.of(user) >= concurrencyOfUser)) continue;
      const weight = descending(job.users.map((user) => this.#recentOf.of(user)));
      if (lightest !== undefined && compare(weight, least) >= 0) continue;
      lightest = job;
      least = weight;
    }
    return lightest;
  }

  /** Returns the job to refuse: the one with the highest weight, and the newest among equals. */
  #heaviest(): Job {
    let heaviest: Job | undefined;
    let most: number[] = [];
    for (const job of this.#waiting) {
      const weight = descending(job.users.map((user) => this.#recentOf.of(user) + this.#waitingOf.of(user)));
      if (heaviest !== undefined && compare(weight, most) < 0) continue;
      heaviest = job;
      most = weight;
    }
    return heaviest!;
  }
}

/** A count for each user. */
class Tally {
  readonly #counts = new Map<string, number>();

  of(user: string): number {
    return this.#counts.get(user) ?? 0;
  }

  add(users: readonly string[]): void {
    for (const user of users) this.#counts.set(user, this.of(user) + 1);
  }

  subtract(users: readonly string[]): void {
    for (const user of users) {
      const count = this.of(user) - 1;
      if (count === 0) this.#counts.delete(user);
      else this.#counts.set(user, count);
    }
  }
}

function descending(weight: number[]): number[] {
  return weight.sort((a, b) => b - a);
}

/** Compares two weights of equal length, starting with their highest parts. */
function compare(a: readonly number[], b: readonly number[]): number {
  const at = a.findIndex((part, n) => part !== b[n]);
  return at === -1 ? 0 : a[at]! - b[at]!;
}
