import { AppError } from '@waymark/contract';
import { limitedAddress, type Taken, type Usage, WINDOW_SECONDS, type WindowCounters } from '@waymark/service-kit';
import type { FastifyReply } from 'fastify';

/**
 * The two limits of contract section 4. Each counts a minute; one that is 0 is off and counts nothing. An answer is a
 * promise only where it has to be waited for: replicas that share their limits ask Redis.
 */
export interface RateLimits {
  /**
   * Counts one request of a key and says on the reply what is left.
   * @throws {AppError} `rate_limited` where the key's minute is used up, at once or by the promise.
   */
  countRequest(reply: FastifyReply, keyHash: Buffer): Promise<void> | undefined;
  /**
   * Null, or, where the address has used up its failures of this minute, the error that says how long it must wait;
   * the reply says so too.
   */
  findFailureRefusal(reply: FastifyReply, address: string): AppError | null | Promise<AppError | null>;
  /** Counts one request of an address that had no valid key. */
  countFailure(address: string): Promise<unknown> | undefined;
}

export interface RateLimitSettings {
  requestsPerMinute: number;
  failuresPerMinute: number;
}

/** The limits, counted where the counters count. */
export function createRateLimits(
  { requestsPerMinute, failuresPerMinute }: RateLimitSettings,
  counters: WindowCounters,
): RateLimits {
  const requests = counters.counter('key');
  const failures = counters.counter('address');

  function answerRequest(reply: FastifyReply, taken: Taken): void {
    announce(reply, 'key', requestsPerMinute, taken);
    if (taken.counted) return;
    throw new AppError(
      'rate_limited',
      `This API key may make ${requestsPerMinute} requests a minute; try again in ${seconds(taken)}.`,
      { retryAfterSeconds: taken.resetSeconds },
    );
  }

  function failureRefusal(reply: FastifyReply, usage: Usage): AppError | null {
    if (usage.used < failuresPerMinute) return null;
    announce(reply, 'address', failuresPerMinute, usage);
    return new AppError(
      'rate_limited',
      `Too many requests without a valid API key from this address; try again in ${seconds(usage)}.`,
      { retryAfterSeconds: usage.resetSeconds },
    );
  }

  return {
    countRequest(reply, keyHash) {
      if (requestsPerMinute === 0) return undefined;
      const taken = requests.take(keyHash.toString('latin1'), requestsPerMinute);
      if (taken instanceof Promise) return taken.then((answer) => answerRequest(reply, answer));
      answerRequest(reply, taken);
      return undefined;
    },
    findFailureRefusal(reply, address) {
      if (failuresPerMinute === 0) return null;
      const usage = failures.peek(limitedAddress(address));
      return usage instanceof Promise
        ? usage.then((answer) => failureRefusal(reply, answer))
        : failureRefusal(reply, usage);
    },
    countFailure(address) {
      if (failuresPerMinute === 0) return undefined;
      const taken = failures.take(limitedAddress(address), failuresPerMinute);
      return taken instanceof Promise ? taken : undefined;
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
