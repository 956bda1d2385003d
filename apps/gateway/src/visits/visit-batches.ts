import {
  IDENTITY_HEADER,
  type RedirectHeaders,
  VISITS_PATH,
  type Visit,
  type VisitsRequest,
  type VisitsResponse,
} from '@waymark/proto';
import { askReplica } from '../proxy/ask-replica.ts';
import type { Replicas } from '../proxy/replicas.ts';
import type { UpstreamClient } from '../proxy/upstream-client.ts';
import { isUnsent, upstreamFailure } from '../proxy/upstream-errors.ts';

export interface VisitBatchesDeps {
  client: UpstreamClient;
  /** The replicas of links-svc. */
  replicas: Replicas;
  /** The gateway's own signed identity. */
  identity(): Promise<string>;
}

interface Waiting {
  visit: Visit;
  resolve: (headers: RedirectHeaders | null) => void;
  reject: (error: unknown) => void;
}

const VISITS_MAX = 100;
const ANSWER_WITHIN_MS = 4_500;

/** An exchange costs several times what a visit in it does: under load one begins in this time at most. */
const EXCHANGE_EVERY_MS = 1;

/**
 * Visits on their way to links-svc, many in one exchange. A visit goes at once where the last exchange began a while ago,
 * and waits for others where it did not: the more visits there are, the less each costs.
 */
export class VisitBatches {
  readonly #deps: VisitBatchesDeps;
  #waiting: Waiting[] = [];
  #sentAt = 0;

  constructor(deps: VisitBatchesDeps) {
    this.#deps = deps;
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
      const answers = await this.#ask(batch.map(({ visit }) => visit));
      for (const [n, { resolve }] of batch.entries()) resolve(answers?.[n] ?? null);
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }

  /** The answers in order; null where links-svc took none of the visits. */
  async #ask(visits: Visit[]): Promise<VisitsResponse['answers'] | null> {
    const { client, replicas, identity } = this.#deps;
    const body = Buffer.from(JSON.stringify({ visits } satisfies VisitsRequest));
    const headers = {
      [IDENTITY_HEADER]: await identity(),
      'content-type': 'application/json',
      'content-length': String(body.length),
    };
    try {
      const request = { path: VISITS_PATH, method: 'POST', headers, body, timeoutMs: ANSWER_WITHIN_MS };
      const answer = await askReplica(client, replicas, request);
      return answer.status === 200 ? (JSON.parse(answer.body.toString()) as VisitsResponse).answers : null;
    } catch (error) {
      if (isUnsent(error)) return null;
      throw upstreamFailure(error);
    }
  }
}
