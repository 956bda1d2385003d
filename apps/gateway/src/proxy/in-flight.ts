import { setTimeout as delay } from 'node:timers/promises';
import { AppError, BUSY_MESSAGE } from '@waymark/contract';
import type { Bound } from '../routes.ts';

/** A refused client that repeats at once, over many connections, would use up this process if this were quicker. */
const REFUSAL_DELAY_MS = 1_000;

/** Requests of one kind that are in progress, and their bound. Those beyond it wait for nobody and are refused. */
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
  async enter(subject: string): Promise<() => void> {
    const own = this.#bySubject.get(subject) ?? 0;
    const isOwnFull = own >= this.#bound.each;
    if (isOwnFull || this.#all >= this.#bound.all) {
      await delay(REFUSAL_DELAY_MS);
      if (!isOwnFull) throw new AppError('unavailable', BUSY_MESSAGE);
      const message = `More than ${this.#bound.each} such requests at once; wait for a response.`;
      throw new AppError('rate_limited', message, { retryAfterSeconds: 1 });
    }
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
