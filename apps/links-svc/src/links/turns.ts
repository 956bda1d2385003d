import { within } from '../within.ts';

/** Lets work on the same thing happen one at a time in this process, in the order it came. */
export class Turns {
  readonly #last = new Map<string, Promise<void>>();

  /**
   * The result of the work, begun once all earlier work of the key is over.
   * @throws {AppError} `unavailable` where that takes longer than `maxWaitMs`; the work is not done then.
   */
  async take<Result>(key: string, maxWaitMs: number, work: () => Promise<Result>): Promise<Result> {
    const before = this.#last.get(key) ?? Promise.resolve();
    let done = () => {};
    const over = new Promise<void>((resolve) => {
      done = resolve;
    });
    const last = before.then(() => over);
    this.#last.set(key, last);
    try {
      await within(before, maxWaitMs, 'the turn of earlier work');
      return await work();
    } finally {
      done();
      // Who gave up waiting ends before those that it waited for: the key is free only after them.
      void last.then(() => {
        if (this.#last.get(key) === last) this.#last.delete(key);
      });
    }
  }
}
