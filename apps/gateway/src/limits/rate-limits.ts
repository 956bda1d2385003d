import { AppError } from '@waymark/contract';
import type { FastifyReply } from 'fastify';
import { limitedAddress } from './address.ts';
import { createWindowCounter, type Usage, WINDOW_SECONDS } from './window-counter.ts';

/** The two limits of contract section 4. Each counts a minute; one that is 0 is off and counts nothing. */
export interface RateLimits {
  /**
   * Counts one request of a key and says on the reply what is left.
   * @throws {AppError} `rate_limited` where the key's minute is used up.
   */
  countRequest(reply: FastifyReply, keyHash: Buffer): void;
  /** True where the address has used up its failures of this minute. */
  hasFailedTooOften(address: string): boolean;
  /** Counts one request of an address that had no valid key. */
  countFailure(address: string): void;
  /** Says on the reply how long the address must wait, and gives the error that says so too. */
  failureRefusal(reply: FastifyReply, address: string): AppError;
}

export interface RateLimitSettings {
  requestsPerMinute: number;
  failuresPerMinute: number;
}

/** The limits, counted in this process. */
export function createRateLimits({ requestsPerMinute, failuresPerMinute }: RateLimitSettings): RateLimits {
  const requests = createWindowCounter();
  const failures = createWindowCounter();
  return {
    countRequest(reply, keyHash) {
      if (requestsPerMinute === 0) return;
      const usage = requests.add(keyHash.toString('latin1'));
      announce(reply, 'key', requestsPerMinute, usage);
      if (usage.used > requestsPerMinute) {
        throw new AppError(
          'rate_limited',
          `This API key may make ${requestsPerMinute} requests a minute; try again in ${seconds(usage)}.`,
          { retryAfterSeconds: usage.resetSeconds },
        );
      }
    },
    hasFailedTooOften(address) {
      return failuresPerMinute > 0 && failures.peek(limitedAddress(address)).used >= failuresPerMinute;
    },
    countFailure(address) {
      if (failuresPerMinute > 0) failures.add(limitedAddress(address));
    },
    failureRefusal(reply, address) {
      const usage = failures.peek(limitedAddress(address));
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
