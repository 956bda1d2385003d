import { AppError, UNAVAILABLE_MESSAGE } from '@waymark/contract';

export interface WorkQueueOptions {
  /** How much runs at a time. */
  concurrency: number;
  /** How much may wait. */
  maxWaiting: number;
  /** How long anything may wait. */
  maxWaitMs: number;
}

interface Waiting {
  start(): void;
}

/** Runs work a few at a time, in the order it came, and refuses what would have to wait too long. */
export class WorkQueue {
  readonly #options: WorkQueueOptions;
  readonly #waiting = new Set<Waiting>();
  #running = 0;

  constructor(options: WorkQueueOptions) {
    this.#options = options;
  }

  /**
   * The result of the work, once its turn came.
   * @throws {AppError} `unavailable` where too much is waiting, or its turn did not come in time.
   */
  async run<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#running < this.#options.concurrency) this.#running += 1;
    else await this.#turn();
    try {
      return await work();
    } finally {
      const next = this.#waiting.values().next().value;
      if (next === undefined) this.#running -= 1;
      else next.start();
    }
  }

  #turn(): Promise<void> {
    if (this.#waiting.size >= this.#options.maxWaiting) throw new AppError('unavailable', UNAVAILABLE_MESSAGE);
    return new Promise((resolve, reject) => {
      const waiting: Waiting = {
        start: () => {
          clearTimeout(timer);
          this.#waiting.delete(waiting);
          resolve();
        },
      };
      const timer = setTimeout(() => {
        this.#waiting.delete(waiting);
        reject(new AppError('unavailable', UNAVAILABLE_MESSAGE));
      }, this.#options.maxWaitMs);
      this.#waiting.add(waiting);
    });
  }
}
