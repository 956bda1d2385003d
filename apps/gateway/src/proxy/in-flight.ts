import { setTimeout as delay } from 'node:timers/promises';
import { AppError, BUSY_MESSAGE } from '@waymark/contract';
import { BOUNDS, type Kind } from '../routes.ts';

/**
 * Refusals wait at least so long, and at most twice as long. Otherwise a client that repeats at once, over many
 * connections, would use up this process. Hundreds that came in one instant do not leave in one.
 */
const REFUSAL_DELAY_MS = 1_000;

/** The requests in progress of one kind. */
interface Counts {
  all: number;
  /** By account or address. */
  own: Map<string, number>;
}

/** The place of a request. Each method does nothing when it is called again. */
export class Place {
  readonly #counts: Counts;
  readonly #subject: string;
  #isWorking = true;
  #isIn = true;

  constructor(counts: Counts, subject: string) {
    this.#counts = counts;
    this.#subject = subject;
    counts.all += 1;
    counts.own.set(subject, (counts.own.get(subject) ?? 0) + 1);
  }

  /** Frees what the request takes from everybody: the work for it is done, or goes no faster than its client. */
  endWork(): void {
    if (!this.#isWorking) return;
    this.#isWorking = false;
    this.#counts.all -= 1;
  }

  /** Frees what the request takes from its account or address, too. */
  leave(): void {
    this.endWork();
    if (!this.#isIn) return;
    this.#isIn = false;
    const { own } = this.#counts;
    const left = own.get(this.#subject)! - 1;
    if (left === 0) own.delete(this.#subject);
    else own.set(this.#subject, left);
  }
}

/** The requests in progress. Those beyond the bounds of their kind wait for nobody and are refused. */
export class InFlight {
  readonly #counts = new Map<Kind, Counts>();

  /**
   * Counts a request of an account or address. Too many get a promise that rejects, after a while: with `rate_limited`
   * if they are the subject's own, with `unavailable` if they are those of all clients together.
   */
  enter(kind: Kind, subject: string): Place | Promise<never> {
    const { each, all } = BOUNDS[kind];
    const counts = this.#counts.get(kind) ?? { all: 0, own: new Map() };
    this.#counts.set(kind, counts);
    if ((counts.own.get(subject) ?? 0) >= each) {
      const message = `More than ${each} such requests at once; wait for a response.`;
      return refuse(new AppError('rate_limited', message, { retryAfterSeconds: 1 }));
    }
    return counts.all >= all ? refuse(new AppError('unavailable', BUSY_MESSAGE)) : new Place(counts, subject);
  }
}

async function refuse(error: AppError): Promise<never> {
  await delay(REFUSAL_DELAY_MS * (1 + Math.random()));
  throw error;
}
