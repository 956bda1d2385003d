import { withTimeout } from './with-timeout.ts';

/** A mutex for each key. It runs work with the same key one at a time in this process, in the order of the calls. */
export class KeyedMutex {
  readonly #last = new Map<string, Promise<void>>();

  /**
   * Runs the work once all earlier work with the key has ended, and returns its result.
   * @throws {AppError} `unavailable` if the wait takes longer than `maxWaitMs`. The work does not run then.
   */
  async run<Result>(key: string, maxWaitMs: number, work: () => Promise<Result>): Promise<Result> {
    const before = this.#last.get(key) ?? Promise.resolve();
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const last = before.then(() => released);
    this.#last.set(key, last);
    try {
      await withTimeout(before, maxWaitMs, 'earlier work with the same key');
      return await work();
    } finally {
      release();
      // A caller that gave up ends before the work it waited for. The key is free only when that work has ended.
      void last.then(() => {
        if (this.#last.get(key) === last) this.#last.delete(key);
      });
    }
  }
}
