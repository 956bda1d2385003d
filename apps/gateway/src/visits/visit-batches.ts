import type { RedirectHeaders, Visit } from '@waymark/proto';
import { upstreamFailure } from '../proxy/upstream-errors.ts';
import type { VisitConnections } from './visit-connections.ts';

interface Waiting {
  visit: Visit;
  resolve: (headers: RedirectHeaders | null) => void;
  reject: (error: unknown) => void;
}

const VISITS_MAX = 100;

/** An exchange costs several times what a visit in it does: under load one begins in this time at most. */
const EXCHANGE_EVERY_MS = 1;

/**
 * Visits on their way to links-svc, many in one exchange. A visit goes at once where the last exchange began a while ago,
 * and waits for others where it did not: the more visits there are, the less each costs.
 */
export class VisitBatches {
  readonly #connections: Pick<VisitConnections, 'ask'>;
  #waiting: Waiting[] = [];
  #sentAt = 0;

  constructor(connections: Pick<VisitConnections, 'ask'>) {
    this.#connections = connections;
  }

  /**
   * Where a visitor is led, the click recorded; null where nothing was done, so that the visit must be passed on alone.
   * Rejects with `unavailable` where links-svc may have recorded the click and did not answer.
   */
  lead(visit: Visit): Promise<RedirectHeaders | null> {
    const { promise, resolve, reject } = Promise.withResolvers<RedirectHeaders | null>();
    this.#waiting.push({ visit, resolve, reject });
    if (this.#waiting.length === VISITS_MAX) void this.#send();
    else if (this.#waiting.length === 1) {
      if (performance.now() - this.#sentAt >= EXCHANGE_EVERY_MS) setImmediate(() => this.#send());
      else setTimeout(() => this.#send(), EXCHANGE_EVERY_MS);
    }
    return promise;
  }

  async #send(): Promise<void> {
    const batch = this.#waiting;
    if (batch.length === 0) return;
    this.#waiting = [];
    this.#sentAt = performance.now();
    try {
      const answers = await this.#connections.ask(batch.map(({ visit }) => visit));
      for (const [n, { resolve }] of batch.entries()) resolve(answers?.[n] ?? null);
    } catch (error) {
      const failure = upstreamFailure(error);
      for (const { reject } of batch) reject(failure);
    }
  }
}
