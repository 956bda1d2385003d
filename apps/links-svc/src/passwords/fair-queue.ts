import { AppError, UNAVAILABLE_MESSAGE } from '@waymark/contract';

export interface FairQueueOptions {
  /** How much runs at a time. */
  concurrency: number;
  /** How much may wait, of all keys together. */
  maxWaiting: number;
  /** How long anything may wait. */
  maxWaitMs: number;
}

interface Waiting {
  start(): void;
  refuse(): void;
}

/**
 * Runs work a few at a time and refuses what would have to wait too long. Every key has a line of its own, and the
 * lines are served in turn: a flood under one key makes others wait for one piece of work of it and not for all.
 */
export class FairQueue {
  readonly #options: FairQueueOptions;
  /** The lines that are not empty, in the order of their turns. */
  readonly #lines = new Map<string, Set<Waiting>>();
  #waiting = 0;
  #running = 0;

  constructor(options: FairQueueOptions) {
    this.#options = options;
  }

  /**
   * The result of the work, once the turn of its key came.
   * @throws {AppError} `unavailable` where too much is waiting, most of it under this key, or its turn did not come in
   *   time.
   */
  async run<Result>(key: string, work: () => Promise<Result>): Promise<Result> {
    if (this.#running < this.#options.concurrency) this.#running += 1;
    else await this.#turn(key);
    try {
      return await work();
    } finally {
      const next = this.#takeNext();
      if (next === undefined) this.#running -= 1;
      else next.start();
    }
  }

  #turn(key: string): Promise<void> {
    this.#makeRoomFor(key);
    return new Promise((resolve, reject) => {
      const waiting: Waiting = {
        start: () => {
          clearTimeout(timer);
          resolve();
        },
        refuse: () => {
          clearTimeout(timer);
          this.#remove(key, waiting);
          reject(new AppError('unavailable', UNAVAILABLE_MESSAGE));
        },
      };
      const timer = setTimeout(waiting.refuse, this.#options.maxWaitMs);
      const line = this.#lines.get(key) ?? new Set();
      this.#lines.set(key, line.add(waiting));
      this.#waiting += 1;
    });
  }

  /** Where no more may wait, the last of the longest line gives way where the key's line is shorter, also with one more. */
  #makeRoomFor(key: string): void {
    if (this.#waiting < this.#options.maxWaiting) return;
    const longest = [...this.#lines.values()].reduce((a, b) => (b.size > a.size ? b : a));
    if ((this.#lines.get(key)?.size ?? 0) + 1 >= longest.size) throw new AppError('unavailable', UNAVAILABLE_MESSAGE);
    [...longest].at(-1)?.refuse();
  }

  #takeNext(): Waiting | undefined {
    for (const [key, line] of this.#lines) {
      const [first] = line;
      this.#remove(key, first!);
      // The rest of the line has its next turn after all others.
      if (line.size > 0 && this.#lines.delete(key)) this.#lines.set(key, line);
      return first;
    }
    return undefined;
  }

  #remove(key: string, waiting: Waiting): void {
    const line = this.#lines.get(key);
    if (line?.delete(waiting) !== true) return;
    this.#waiting -= 1;
    if (line.size === 0) this.#lines.delete(key);
  }
}
