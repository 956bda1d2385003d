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
  /** A counter of its own for each name; replicas share those of the same name. */
  counter(name: string): WindowCounter;
  /** The same for attempts; a name is either for events or for attempts. */
  attempts(name: string): AttemptCounter;
  /** Lets go of Redis. Counting goes on, in memory. */
  close(): void;
}

export interface WindowCountersOptions {
  /** Where replicas count together; each counts in its own memory where there is none. */
  redisUrl: string | undefined;
  /** Hides subjects in Redis; the same for all replicas. */
  secret: string;
  logger: Logger;
  registry: Registry;
}

/**
 * Counters in memory, or in Redis where an address of one is given. Redis is connected to in the background: nothing
 * waits for it, and without it each replica counts for itself.
 */
export function createWindowCounters({ redisUrl, secret, logger, registry }: WindowCountersOptions): WindowCounters {
  if (redisUrl === undefined)
    return { counter: () => createMemoryCounter(), attempts: () => createMemoryAttempts(), close: () => undefined };
  const link = openRedisLink({ url: redisUrl, logger, registry, probe: probeCounter });
  return {
    counter: (name) => createRedisCounter(link, { name, secret }),
    attempts: (name) => createRedisAttempts(link, { name, secret }),
    close: () => link.close(),
  };
}
