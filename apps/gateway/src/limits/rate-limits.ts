import { AppError } from '@waymark/contract';
import { type Taken, type Usage, WINDOW_SECONDS, type WindowCounters } from '@waymark/service-kit';
import type { FastifyReply } from 'fastify';

/**
 * The two limits of docs/api.md, Limits. Each counts a minute; one that is 0 is off and counts nothing. An answer is a
 * promise only where it has to be waited for: replicas that share their limits ask Redis.
 */
export interface RateLimits {
  /**
   * Counts one request of a key and says on the reply what is left.
   * @throws {AppError} `rate_limited` where the key's minute is used up, at once or by the promise.
   */
  countRequest(reply: FastifyReply, keyHash: Buffer): Promise<void> | undefined;
  /**
   * Counts so many requests more for a request that has been counted, in one step.
   * @throws {AppError} `rate_limited` when fewer are left: then none is counted, not even the first.
   */
  countMoreRequests(reply: FastifyReply, keyHash: Buffer, more: number): Promise<void>;
  /** Counts one failure of an address, a request without a valid key, unless its failures of this minute are used up. */
  countFailure(address: string): Taken | Promise<Taken>;
  /** Refunds a failure that was none. */
  refundFailure(address: string, taken: Taken): void;
  /** The error for an address without failures left, which says how long it must wait; the reply says so too. */
  refusalOfAddress(reply: FastifyReply, usage: Usage): AppError;
}

export interface RateLimitSettings {
  requestsPerMinute: number;
  failuresPerMinute: number;
}

const UNLIMITED: Taken = { counted: true, events: 1, used: 0, resetSeconds: WINDOW_SECONDS, in: 'memory' };

/** The limits, counted where the counters count. */
export function createRateLimits(
  { requestsPerMinute, failuresPerMinute }: RateLimitSettings,
  counters: WindowCounters,
): RateLimits {
  const requests = counters.counter('key');
  const failures = counters.counter('address');
  /** What each request was counted as when it arrived. */
  const arrivals = new WeakMap<FastifyReply, Taken>();

  function answerArrival(reply: FastifyReply, taken: Taken): void {
    announce(reply, 'key', requestsPerMinute, taken);
    arrivals.set(reply, taken);
    if (taken.counted) return;
    throw new AppError(
      'rate_limited',
      `This API key may make ${requestsPerMinute} requests a minute; try again in ${seconds(taken)}.`,
      { retryAfterSeconds: taken.resetSeconds },
    );
  }

  return {
    countRequest(reply, keyHash) {
      if (requestsPerMinute === 0) return undefined;
      const taken = requests.take(keyHash.toString('latin1'), requestsPerMinute);
      if (taken instanceof Promise) return taken.then((answer) => answerArrival(reply, answer));
      answerArrival(reply, taken);
      return undefined;
    },
    async countMoreRequests(reply, keyHash, more) {
      if (requestsPerMinute === 0) return;
      const subject = keyHash.toString('latin1');
      const taken = await requests.take(subject, requestsPerMinute, more);
      if (taken.counted) return announce(reply, 'key', requestsPerMinute, taken);
      requests.giveBack(subject, arrivals.get(reply)!);
      const usage = { ...taken, used: Math.max(0, taken.used - 1) };
      announce(reply, 'key', requestsPerMinute, usage);
      throw new AppError(
        'rate_limited',
        `This needs ${more + 1} requests, and the API key has ${requestsPerMinute - usage.used} of its ${requestsPerMinute} requests a minute left; send fewer at once, or try again in ${seconds(usage)}.`,
        { retryAfterSeconds: usage.resetSeconds },
      );
    },
    countFailure: (address) => (failuresPerMinute === 0 ? UNLIMITED : failures.take(address, failuresPerMinute)),
    refundFailure(address, taken) {
      if (taken !== UNLIMITED) failures.giveBack(address, taken);
    },
    refusalOfAddress(reply, usage) {
      announce(reply, 'address', failuresPerMinute, usage);
      return new AppError(
        'rate_limited',
        `Too many requests without a valid API key from this address; try again in ${seconds(usage)}.`,
        { retryAfterSeconds: usage.resetSeconds },
      );
    },
  };
}

/** The fields of draft-ietf-httpapi-ratelimit-headers: the policy, and what is left of it. */
function announce(reply: FastifyReply, policy: 'key' | 'address', limit: number, usage: Usage): void {
  reply.header('ratelimit-policy', `"${policy}";q=${limit};w=${WINDOW_SECONDS}`);
  reply.header('ratelimit', `"${policy}";r=${Math.max(0, limit - usage.used)};t=${usage.resetSeconds}`);
}

function seconds({ resetSeconds }: Usage): string {
  return resetSeconds === 1 ? '1 second' : `${resetSeconds} seconds`;
}
