import { AppError, BUSY_MESSAGE } from '@waymark/contract';
import type { Bound } from '../routes.ts';

/** Requests of one kind that are in progress, and their bound. Those beyond it are refused at once. */
export class InFlight {
  readonly #bound: Bound;
  readonly #bySubject = new Map<string, number>();
  #all = 0;

  constructor(bound: Bound) {
    this.#bound = bound;
  }

  /**
   * Counts a request of an account or address until the returned function is called.
   * @throws {AppError} `rate_limited` if the subject has too many in progress, `unavailable` if all clients together do.
   */
  enter(subject: string): () => void {
    const own = this.#bySubject.get(subject) ?? 0;
    if (own >= this.#bound.each)
      throw new AppError('rate_limited', `More than ${this.#bound.each} such requests at once; wait for a response.`, {
        retryAfterSeconds: 1,
      });
    if (this.#all >= this.#bound.all) throw new AppError('unavailable', BUSY_MESSAGE);
    this.#bySubject.set(subject, own + 1);
    this.#all += 1;
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      this.#all -= 1;
      const left = this.#bySubject.get(subject)! - 1;
      if (left === 0) this.#bySubject.delete(subject);
      else this.#bySubject.set(subject, left);
    };
  }
}
