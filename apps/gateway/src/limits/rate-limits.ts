import { AppError } from '@waymark/contract';
import {
  type CountResult,
  type Usage,
  WINDOW_SECONDS,
  type WindowCounter,
  type WindowCounters,
} from '@waymark/service-kit';
import type { FastifyReply } from 'fastify';
import type { Config } from '../config.ts';

/**
 * How many MCP messages that call no tool a key may send for each of its requests, and at least. Some clients make a
 * session for each call, and take a refused `initialize` for a broken connection, so this stops attackers only.
 */
const MESSAGES_PER_REQUEST = 10;
const MESSAGES_MIN = 6_000;

const UNLIMITED: CountResult = { counted: true, events: 1, used: 0, resetSeconds: WINDOW_SECONDS, in: 'memory' };

/** The two limits of docs/api.md, Limits. Each limit is per minute; 0 turns it off. */
export class RateLimits {
  readonly #requestsPerMinute: number;
  readonly #failuresPerMinute: number;
  readonly #messagesPerMinute: number;
  readonly #requests: WindowCounter;
  readonly #messages: WindowCounter;
  readonly #failures: WindowCounter;
  /** The count of each request on its arrival, needed to refund it. */
  readonly #arrivals = new WeakMap<FastifyReply, CountResult>();

  /** `counters` decide whether they count in memory or in Redis. */
  constructor(config: Config, counters: WindowCounters) {
    this.#requestsPerMinute = config.RATE_LIMIT_PER_MINUTE;
    this.#messagesPerMinute =
      config.RATE_LIMIT_PER_MINUTE === 0
        ? 0
        : Math.max(MESSAGES_MIN, MESSAGES_PER_REQUEST * config.RATE_LIMIT_PER_MINUTE);
    this.#failuresPerMinute = config.AUTH_FAILURES_PER_MINUTE;
    this.#requests = counters.counter('key');
    this.#messages = counters.counter('messages');
    this.#failures = counters.counter('address');
  }

  /**
   * Counts one request of a key and sets the rate limit headers of the reply.
   * @throws {AppError} `rate_limited` if the key has no requests left.
   */
  async countRequest(reply: FastifyReply, keyHash: string): Promise<void> {
    const limit = this.#requestsPerMinute;
    if (limit === 0) return;
    const result = await this.#requests.count(keyHash, limit);
    announce(reply, 'key', limit, result);
    this.#arrivals.set(reply, result);
    if (!result.counted) throw exceeded(`make ${limit} requests`, result);
  }

  /**
   * Counts MCP messages that call no tool. They do not count as requests, and have no rate limit headers.
   * @throws {AppError} `rate_limited` if the key sends far more of them than any client.
   */
  async countMessages(keyHash: string, messages: number): Promise<void> {
    const limit = this.#messagesPerMinute;
    if (limit === 0) return;
    const result = await this.#messages.count(keyHash, limit, messages);
    if (!result.counted) throw exceeded(`send ${limit} messages`, result);
  }

  /**
   * Counts `more` further requests, in one step, for a request that is already counted.
   * @throws {AppError} `rate_limited` if fewer are left. Then none is counted, and the first request is refunded.
   */
  async countMoreRequests(reply: FastifyReply, keyHash: string, more: number): Promise<void> {
    const limit = this.#requestsPerMinute;
    if (limit === 0) return;
    const result = await this.#requests.count(keyHash, limit, more);
    if (result.counted) return announce(reply, 'key', limit, result);
    this.#requests.refund(keyHash, this.#arrivals.get(reply)!);
    const usage = { ...result, used: Math.max(0, result.used - 1) };
    announce(reply, 'key', limit, usage);
    throw new AppError(
      'rate_limited',
      `This batch counts as ${more + 1} requests, but this key or session has only ` +
        `${limit - usage.used} of its ${limit} requests per minute left; ` +
        `send fewer at once, or try again in ${seconds(usage)}.`,
      { retryAfterSeconds: usage.resetSeconds },
    );
  }

  /** Counts one failure (a request without a valid key) of an address, unless the address has none left. */
  async countFailure(address: string): Promise<CountResult> {
    const limit = this.#failuresPerMinute;
    return limit === 0 ? UNLIMITED : this.#failures.count(address, limit);
  }

  /** Refunds a failure that was counted before a lookup, when the key turns out to be valid or the lookup fails. */
  refundFailure(address: string, result: CountResult): void {
    if (result !== UNLIMITED) this.#failures.refund(address, result);
  }

  /** Returns the error for an address that has no failures left. Sets the rate limit headers of the reply. */
  refusalOfAddress(reply: FastifyReply, usage: Usage): AppError {
    announce(reply, 'address', this.#failuresPerMinute, usage);
    return new AppError(
      'rate_limited',
      `Too many requests without a valid API key from this address; try again in ${seconds(usage)}.`,
      { retryAfterSeconds: usage.resetSeconds },
    );
  }
}

function exceeded(what: string, usage: Usage): AppError {
  const message = `This key or session may ${what} per minute; try again in ${seconds(usage)}.`;
  return new AppError('rate_limited', message, { retryAfterSeconds: usage.resetSeconds });
}

/** Sets the headers of draft-ietf-httpapi-ratelimit-headers: the policy, and what is left of it. */
function announce(reply: FastifyReply, policy: 'key' | 'address', limit: number, usage: Usage): void {
  reply.header('ratelimit-policy', `"${policy}";q=${limit};w=${WINDOW_SECONDS}`);
  reply.header('ratelimit', `"${policy}";r=${Math.max(0, limit - usage.used)};t=${usage.resetSeconds}`);
}

function seconds({ resetSeconds }: Usage): string {
  return resetSeconds === 1 ? '1 second' : `${resetSeconds} seconds`;
}
