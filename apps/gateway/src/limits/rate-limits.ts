import { AppError } from '@waymark/contract';
import { type Taken, type Usage, WINDOW_SECONDS, type WindowCounters } from '@waymark/service-kit';
import type { FastifyReply } from 'fastify';

/** The two limits of docs/api.md, Limits. Each limit is per minute; 0 turns it off. */
export interface RateLimits {
  /**
   * Counts one request of a key and sets the rate limit headers of the reply.
   * @throws {AppError} `rate_limited` if the key has no requests left.
   */
  countRequest(reply: FastifyReply, keyHash: Buffer): Promise<void>;
  /**
   * Counts `more` further requests, in one step, for a request that is already counted.
   * @throws {AppError} `rate_limited` if fewer are left. Then none is counted, and the first request is refunded.
   */
  countMoreRequests(reply: FastifyReply, keyHash: Buffer, more: number): Promise<void>;
  /** Counts one failure (a request without a valid key) of an address, unless the address has none left. */
  countFailure(address: string): Promise<Taken>;
  /** Refunds a failure that was counted before a lookup, when the key turns out to be valid or the lookup fails. */
  refundFailure(address: string, taken: Taken): void;
  /** Returns the error for an address that has no failures left. Sets the rate limit headers of the reply. */
  refusalOfAddress(reply: FastifyReply, usage: Usage): AppError;
}

export interface RateLimitSettings {
  requestsPerMinute: number;
  failuresPerMinute: number;
}

const UNLIMITED: Taken = { counted: true, events: 1, used: 0, resetSeconds: WINDOW_SECONDS, in: 'memory' };

/** Creates the limits. `counters` decide whether they count in memory or in Redis. */
export function createRateLimits(
  { requestsPerMinute, failuresPerMinute }: RateLimitSettings,
  counters: WindowCounters,
): RateLimits {
  const requests = counters.counter('key');
  const failures = counters.counter('address');
  /** The count of each request on its arrival, needed to refund it. */
  const arrivals = new WeakMap<FastifyReply, Taken>();

  return {
    async countRequest(reply, keyHash) {
      if (requestsPerMinute === 0) return;
      const taken = await requests.take(keyHash.toString('latin1'), requestsPerMinute);
      announce(reply, 'key', requestsPerMinute, taken);
      arrivals.set(reply, taken);
      if (taken.counted) return;
      throw new AppError(
        'rate_limited',
        `This key or session may make ${requestsPerMinute} requests per minute; try again in ${seconds(taken)}.`,
        { retryAfterSeconds: taken.resetSeconds },
      );
    },
    async countMoreRequests(reply, keyHash, more) {
      if (requestsPerMinute === 0) return;
      const subject = keyHash.toString('latin1');
      const taken = await requests.take(subject, requestsPerMinute, more);
      if (taken.counted) return announce(reply, 'key', requestsPerMinute, taken);
      requests.refund(subject, arrivals.get(reply)!);
      const usage = { ...taken, used: Math.max(0, taken.used - 1) };
      announce(reply, 'key', requestsPerMinute, usage);
      throw new AppError(
        'rate_limited',
        `This batch counts as ${more + 1} requests, but this key or session has only ` +
          `${requestsPerMinute - usage.used} of its ${requestsPerMinute} requests per minute left; ` +
          `send fewer at once, or try again in ${seconds(usage)}.`,
        { retryAfterSeconds: usage.resetSeconds },
      );
    },
    countFailure: async (address) => (failuresPerMinute === 0 ? UNLIMITED : failures.take(address, failuresPerMinute)),
    refundFailure(address, taken) {
      if (taken !== UNLIMITED) failures.refund(address, taken);
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

/** Sets the headers of draft-ietf-httpapi-ratelimit-headers: the policy, and what is left of it. */
function announce(reply: FastifyReply, policy: 'key' | 'address', limit: number, usage: Usage): void {
  reply.header('ratelimit-policy', `"${policy}";q=${limit};w=${WINDOW_SECONDS}`);
  reply.header('ratelimit', `"${policy}";r=${Math.max(0, limit - usage.used)};t=${usage.resetSeconds}`);
}

function seconds({ resetSeconds }: Usage): string {
  return resetSeconds === 1 ? '1 second' : `${resetSeconds} seconds`;
}
