import { AppError } from '@waymark/contract';
import { type CountResult, type Usage, WINDOW_SECONDS, type WindowCounters } from '@waymark/service-kit';
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
  countFailure(address: string): Promise<CountResult>;
  /** Refunds a failure that was counted before a lookup, when the key turns out to be valid or the lookup fails. */
  refundFailure(address: string, result: CountResult): void;
  /** Returns the error for an address that has no failures left. Sets the rate limit headers of the reply. */
  refusalOfAddress(reply: FastifyReply, usage: Usage): AppError;
}

export interface RateLimitSettings {
  requestsPerMinute: number;
  failuresPerMinute: number;
}

const UNLIMITED: CountResult = { counted: true, events: 1, used: 0, resetSeconds: WINDOW_SECONDS, in: 'memory' };

/** Creates the limits. `counters` decide whether they count in memory or in Redis. */
export function createRateLimits(
  { requestsPerMinute, failuresPerMinute }: RateLimitSettings,
  counters: WindowCounters,
): RateLimits {
  const requests = counters.counter('key');
  const failures = counters.counter('address');
  /** The count of each request on its arrival, needed to refund it. */
  const arrivals = new WeakMap<FastifyReply, CountResult>();

  return {
    async countRequest(reply, keyHash) {
      if (requestsPerMinute === 0) return;
      const result = await requests.count(keyHash.toString('latin1'), requestsPerMinute);
      announce(reply, 'key', requestsPerMinute, result);
      arrivals.set(reply, result);
      if (result.counted) return;
      throw new AppError(
        'rate_limited',
        `This key or session may make ${requestsPerMinute} requests per minute; try again in ${seconds(result)}.`,
        { retryAfterSeconds: result.resetSeconds },
      );
    },
    async countMoreRequests(reply, keyHash, more) {
      if (requestsPerMinute === 0) return;
      const subject = keyHash.toString('latin1');
      const result = await requests.count(subject, requestsPerMinute, more);
      if (result.counted) return announce(reply, 'key', requestsPerMinute, result);
      requests.refund(subject, arrivals.get(reply)!);
      const usage = { ...result, used: Math.max(0, result.used - 1) };
      announce(reply, 'key', requestsPerMinute, usage);
      throw new AppError(
        'rate_limited',
        `This batch counts as ${more + 1} requests, but this key or session has only ` +
          `${requestsPerMinute - usage.used} of its ${requestsPerMinute} requests per minute left; ` +
          `send fewer at once, or try again in ${seconds(usage)}.`,
        { retryAfterSeconds: usage.resetSeconds },
      );
    },
    countFailure: async (address) => (failuresPerMinute === 0 ? UNLIMITED : failures.count(address, failuresPerMinute)),
    refundFailure(address, result) {
      if (result !== UNLIMITED) failures.refund(address, result);
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
