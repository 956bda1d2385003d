import { withTimeout } from '@waymark/service-kit';

/** Runs work with the same key one at a time in this process, in the order in which it came. */
export class KeyedMutex {
  readonly #last = new Map<string, Promise<void>>();

  /**
   * Returns the result of the work, which begins once all earlier work with the key has ended.
   * @throws {AppError} `unavailable` if that takes longer than `maxWaitMs`; the work is not done then.
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
      // A caller that gave up ends before those that it waited for: the key is free only after them.
      void last.then(() => {
        if (this.#last.get(key) === last) this.#last.delete(key);
      });
    }
  }
}
