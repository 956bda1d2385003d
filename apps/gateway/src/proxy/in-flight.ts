import { setTimeout as delay } from 'node:timers/promises';
import { AppError, BUSY_MESSAGE } from '@waymark/contract';
import { BOUNDS, type Kind } from '../routes.ts';

/** Delays refusals. Otherwise a client that repeats at once, over many connections, would use up this process. */
const REFUSAL_DELAY_MS = 1_000;

/** The place of a request. Each function does nothing when it is called again. */
export interface Place {
  /** Frees what the request takes from everybody: the work for it is done, or goes no faster than its client. */
  endWork(): void;
  /** Frees what the request takes from its account or address, too. */
  leave(): void;
}

/** The requests in progress. Those beyond the bounds of their kind wait for nobody and are refused. */
export class InFlight {
  /** By kind, and by kind and subject. */
  readonly #counts = new Map<string, number>();

  /**
   * Counts a request of an account or address.
   * @throws {AppError} `rate_limited` if the subject has too many in progress, `unavailable` if all clients together do.
   */
  async enter(kind: Kind, subject: string): Promise<Place> {
    const { each, all } = BOUNDS[kind];
    const own = `${kind} ${subject}`;
    const isOwnFull = this.#countOf(own) >= each;
    if (isOwnFull || this.#countOf(kind) >= all) {
      await delay(REFUSAL_DELAY_MS);
      if (!isOwnFull) throw new AppError('unavailable', BUSY_MESSAGE);
      const message = `More than ${each} such requests at once; wait for a response.`;
      throw new AppError('rate_limited', message, { retryAfterSeconds: 1 });
    }
    const [endWork, endOwn] = [this.#count(kind), this.#count(own)];
    return {
      endWork,
      leave: () => {
        endWork();
        endOwn();
      },
    };
  }

  /** Counts one until the returned function is called. */
  #count(one: string): () => void {
    this.#counts.set(one, this.#countOf(one) + 1);
    let isCounted = true;
    return () => {
      if (!isCounted) return;
      isCounted = false;
      const left = this.#countOf(one) - 1;
      if (left === 0) this.#counts.delete(one);
      else this.#counts.set(one, left);
    };
  }

  #countOf(one: string): number {
    return this.#counts.get(one) ?? 0;
  }
}
