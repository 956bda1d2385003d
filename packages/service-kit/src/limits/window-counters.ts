import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import type { AttemptCounter } from './attempt-counter.ts';
import { createMemoryAttempts } from './memory-attempts.ts';
import { createMemoryCounter } from './memory-counter.ts';
import { createRedisAttempts } from './redis-attempts.ts';
import { createRedisCounter, probeCounter } from './redis-counter.ts';
import { openRedisLink } from './redis-link.ts';
import type { WindowCounter } from './window-counter.ts';

/** The counters of one process. */
export interface WindowCounters {
  /** Creates the counter of a name. With Redis, replicas share the counters of the same name. */
  counter(name: string): WindowCounter;
  /** Creates the attempt counter of a name. Do not use one name for both kinds. */
  attempts(name: string): AttemptCounter;
  /** Closes the connection to Redis. Counting continues in memory. */
  close(): void;
}

export interface WindowCountersOptions {
  /** The Redis that replicas share. Without it each replica counts in its own memory. */
  redisUrl: string | undefined;
  /** The secret that hides subjects in Redis. It must be the same for all replicas. */
  secret: string;
  logger: Logger;
  registry: Registry;
  /** How long Redis has to respond, in milliseconds. Default: 50. */
  redisTimeoutMs?: number | undefined;
}

/**
 * Creates counters in Redis if `redisUrl` is set, else in memory. It connects to Redis in the background, and nothing
 * waits for the connection. While Redis is unavailable, each replica counts on its own.
 */
export function createWindowCounters(options: WindowCountersOptions): WindowCounters {
  const { redisUrl, secret, logger, registry, redisTimeoutMs } = options;
  if (redisUrl === undefined)
    return { counter: () => createMemoryCounter(), attempts: () => createMemoryAttempts(), close: () => undefined };
  const link = openRedisLink({ url: redisUrl, logger, registry, probe: probeCounter, timeoutMs: redisTimeoutMs });
  return {
    counter: (name) => createRedisCounter(link, { name, secret }),
    attempts: (name) => createRedisAttempts(link, { name, secret }),
    close: () => link.close(),
  };
}
