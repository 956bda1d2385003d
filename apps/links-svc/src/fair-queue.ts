import { AppError } from '@waymark/contract';

export interface FairQueueOptions {
  /** How many jobs run concurrently. */
  concurrency: number;
  /** How many of them may be of one user; all of them unless given. */
  concurrencyOfUser?: number;
  /** How many jobs may wait. */
  maxWaiting: number;
}

interface Job {
  users: readonly string[];
  start(): void;
  refuse(): void;
}

/** Short, so that an old use counts no more; longer than a queue of a second or two, so that a flood is seen. */
const RECENT_JOBS = 32;
/** What a client reads when too much waits. */
export const BUSY_MESSAGE = 'The service is too busy right now; try again in a moment.';

/**
 * Runs a few jobs concurrently, and lets whoever uses it least go first. A job has several users, such as an account
 * and an address, and counts as much as the one that has used most: the waiting job starts next whose heaviest user had
 * the fewest of the recent starts, then whose second heaviest, and so on; among equals the one that waits longest.
 * When too many wait, the heaviest is refused, its users' waiting jobs counted too.
 *
 * So a flood through one account makes no other account wait, however many addresses it comes from; a flood from one
 * address makes no other address wait, however many accounts it reaches, nor another address of the same account.
 */
export class FairQueue {
  readonly #options: FairQueueOptions;
  /** In the order they came. */
  readonly #waiting = new Set<Job>();
  readonly #waitingOf = new Tally();
  #running = 0;
  readonly #runningOf = new Tally();
  /** The users of the jobs that started last. */
  readonly #recent: (readonly string[])[] = [];
  readonly #recentOf = new Tally();

  constructor(options: FairQueueOptions) {
    this.#options = options;
  }

  /**
   * The result of the work, which starts when it is its turn.
   * @throws {AppError} `unavailable` where its turn does not come within `maxWaitMs`, or too many jobs are waiting and
   *   this is the heaviest.
   */
  async run<Result>(users: readonly string[], work: () => Promise<Result>, maxWaitMs: number): Promise<Result> {
    await this.#turn(users, maxWaitMs);
    try {
      return await work();
    } finally {
      this.#running -= 1;
      this.#runningOf.subtract(users);
      this.#startNext();
    }
  }

  #turn(users: readonly string[], maxWaitMs: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const leave = () => {
        clearTimeout(timer);
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
      this.#waiting.add(job);
      this.#waitingOf.add(users);
      this.#startNext();
      if (this.#waiting.size > this.#options.maxWaiting) this.#heaviest().refuse();
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

  /** The job to start next; undefined where none may. */
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

  /** The job to refuse: among equals the one that came last. */
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

/** How often each user occurs. */
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

/** Compares weights of equal length: the heaviest parts first. */
function compare(a: readonly number[], b: readonly number[]): number {
  const at = a.findIndex((part, n) => part !== b[n]);
  return at === -1 ? 0 : a[at]! - b[at]!;
}
