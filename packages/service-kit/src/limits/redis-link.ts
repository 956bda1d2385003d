import type { RedisClientType } from '@redis/client';
import type { Logger } from 'pino';
import { Counter, Gauge, type Registry } from 'prom-client';
import { withTimeout } from '../with-timeout.ts';

/** How long a request waits for Redis. */
const ANSWER_MAX_MS = 50;
/** How often Redis is asked whether it still, or again, does what is needed. */
const PROBE_EVERY_MS = 1_000;
const CONNECT_TIMEOUT_MS = 2_000;
/** A connection on which nothing moves for this long is given up; probes move on one that works. */
const SILENCE_MAX_MS = 3_000;
const RECONNECT_MIN_MS = 50;
const RECONNECT_MAX_MS = 1_000;
/** Far more than are under way within the time that an answer may take. */
const COMMANDS_MAX = 10_000;

export type RedisCommand<Reply> = (client: RedisClientType) => Promise<Reply>;

/** A Redis that may be away at any time, and that no request waits for longer than 50 ms. */
export interface RedisLink {
  /** False while nothing must be asked: Redis is not connected, did not answer in time or refused. */
  isUp(): boolean;
  /** What Redis answers, or null where it refused or did not within 50 ms; it is down then until a probe succeeds. */
  ask<Reply>(command: RedisCommand<Reply>): Promise<Reply | null>;
  close(): void;
}

export interface RedisLinkOptions {
  url: string;
  logger: Logger;
  registry: Registry;
  /** What Redis must be able to do, as it will be asked: a ping would succeed where writes or scripts are refused. */
  probe: RedisCommand<unknown>;
}

/**
 * Connects in the background, again and again for as long as it is not closed. Each change between up and down is one
 * line of the log and seen in `rate_limits_shared` and `rate_limits_fallbacks_total`.
 */
export function openRedisLink({ url, logger, registry, probe }: RedisLinkOptions): RedisLink {
  let client: RedisClientType | undefined;
  let state: 'starting' | 'up' | 'down' = 'starting';
  let closed = false;
  let probing = false;
  new Gauge({
    name: 'rate_limits_shared',
    help: '1 while rate limits are counted in Redis, 0 while this replica counts for itself.',
    registers: [registry],
    collect() {
      this.set(state === 'up' ? 1 : 0);
    },
  });
  const fallbacks = new Counter({
    name: 'rate_limits_fallbacks_total',
    help: 'How often this replica began to count rate limits for itself because Redis was away.',
    registers: [registry],
  });

  function isDown(err: unknown): void {
    if (closed || state === 'down') return;
    state = 'down';
    fallbacks.inc();
    logger.warn({ err }, 'Redis does not answer; this replica counts rate limits for itself');
  }

  function isBack(): void {
    if (closed || state === 'up') return;
    state = 'up';
    logger.info('rate limits are shared through Redis');
  }

  /** At most one at a time, until it is answered or its connection is given up, which its silence brings about. */
  async function check(): Promise<void> {
    if (probing || !client?.isReady) return;
    probing = true;
    const answered = probe(client).finally(() => {
      probing = false;
    });
    try {
      await withTimeout(answered, ANSWER_MAX_MS, 'a probe of Redis');
      isBack();
    } catch (error) {
      isDown(error);
    }
  }

  async function connect(): Promise<void> {
    // Loaded where it is used: it is large, and most installations have no Redis.
    const { createClient } = await import('@redis/client');
    if (closed) return;
    client = createClient({
      url,
      name: 'waymark-limits',
      disableOfflineQueue: true,
      commandsQueueMaxLength: COMMANDS_MAX,
      // Its timeouts are for commands not yet sent only, and cost an AbortSignal for each.
      commandOptions: { timeout: 0 },
      maintNotifications: 'disabled',
      socket: {
        connectTimeout: CONNECT_TIMEOUT_MS,
        socketTimeout: SILENCE_MAX_MS,
        reconnectStrategy: (retries) =>
          Math.min(RECONNECT_MIN_MS * 2 ** retries, RECONNECT_MAX_MS) + Math.random() * RECONNECT_MIN_MS,
      },
    }) as RedisClientType;
    client.on('error', isDown);
    client.on('ready', () => void check());
    await client.connect();
  }

  connect().catch(isDown);
  const timer = setInterval(() => void check(), PROBE_EVERY_MS);
  timer.unref();

  return {
    isUp: () => state === 'up',
    async ask(command) {
      try {
        return await withTimeout(command(client!), ANSWER_MAX_MS, 'a command of Redis');
      } catch (error) {
        isDown(error);
        return null;
      }
    },
    close() {
      closed = true;
      state = 'down';
      clearInterval(timer);
      client?.destroy();
    },
  };
}
