import { untilAborted } from '@waymark/service-kit/until-aborted';

/** The read that follows the running one. */
interface NextRead<Result> {
  read: () => Promise<Result>;
  settle: PromiseWithResolvers<Result>;
}

/**
 * Shares reads of the same thing among concurrent callers. A caller gets the result of a read that began after it asked,
 * so the result is never older than the question. At most one read of each thing runs.
 */
export class SharedReads<Result> {
  /** The things that are being read, and what follows. */
  readonly #running = new Map<string, NextRead<Result> | undefined>();

  /**
   * Returns the result of `read`, or of that of another caller. Rejects when the signal aborts. The read then continues
   * for the others, and for those who ask later.
   */
  get(key: string, read: () => Promise<Result>, signal: AbortSignal): Promise<Result> {
    if (!this.#running.has(key)) return untilAborted(this.#run(key, read), signal);
    const next = this.#running.get(key) ?? { read, settle: Promise.withResolvers<Result>() };
    // The read of the last caller has the youngest credentials.
    next.read = read;
    this.#running.set(key, next);
    return untilAborted(next.settle.promise, signal);
  }

  async #run(key: string, read: () => Promise<Result>): Promise<Result> {
    this.#running.set(key, undefined);
    try {
      return await read();
    } finally {
      const next = this.#running.get(key);
      if (next === undefined) this.#running.delete(key);
      else this.#run(key, next.read).then(next.settle.resolve, next.settle.reject);
    }
  }
}
