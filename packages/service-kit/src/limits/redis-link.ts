import type { RedisClientType } from '@redis/client';
import type { Logger } from 'pino';
import { Counter, Gauge, type Registry } from 'prom-client';
import { startPeriodicTask } from '../concurrency/periodic-task.ts';
import { withTimeout } from '../concurrency/with-timeout.ts';

/** How long a request waits for Redis, in milliseconds. */
const RESPONSE_TIMEOUT_MS = 50;
/** How often Redis is probed, whether it is up or down. */
const PROBE_EVERY_MS = 1_000;
const CONNECT_TIMEOUT_MS = 2_000;
/** A connection without traffic for this long is closed. Probes cause traffic on every working connection. */
const SILENCE_MAX_MS = 3_000;
const RECONNECT_MIN_MS = 50;
const RECONNECT_MAX_MS = 1_000;
/** Far more commands than are sent within the time limit of one. */
const COMMANDS_MAX = 10_000;

export type RedisCommand<Reply> = (client: RedisClientType) => Promise<Reply>;

/** A connection to a Redis that may be unavailable at any time. No request waits longer than `timeoutMs` for it. */
export interface RedisLink {
  /** Returns false while no command may be sent: Redis is not connected, did not respond in time or failed. */
  isUp(): boolean;
  /** Runs a command. Returns null if it fails or takes over `timeoutMs`. Redis then counts as down until a probe succeeds. */
  send<Reply>(command: RedisCommand<Reply>): Promise<Reply | null>;
  close(): void;
}

export interface RedisLinkOptions {
  url: string;
  logger: Logger;
  registry: Registry;
  /** A command like those that will be sent. A ping would succeed even if Redis rejects writes or scripts. */
  probe: RedisCommand<unknown>;
  /** See `WindowCountersOptions.redisTimeoutMs`. */
  timeoutMs?: number | undefined;
}

/**
 * Connects in the background, and reconnects until it is closed. Each change between up and down writes one log line
 * and shows in the metrics `rate_limits_shared` and `rate_limits_fallbacks_total`.
 */
export function openRedisLink(options: RedisLinkOptions): RedisLink {
  const { url, logger, registry, probe, timeoutMs = RESPONSE_TIMEOUT_MS } = options;
  let client: RedisClientType | undefined;
  let state: 'starting' | 'up' | 'down' = 'starting';
  let closed = false;
  let probing = false;
  new Gauge({
    name: 'rate_limits_shared',
    help: '1 while rate limits are counted in Redis, 0 while this replica counts on its own.',
    registers: [registry],
    collect() {
      this.set(state === 'up' ? 1 : 0);
    },
  });
  const fallbacks = new Counter({
    name: 'rate_limits_fallbacks_total',
    help: 'Times that this replica began to count rate limits on its own because Redis was unavailable.',
    registers: [registry],
  });

  function isDown(err: unknown): void {
    if (closed || state === 'down') return;
    state = 'down';
    fallbacks.inc();
    logger.warn({ err }, 'Redis does not respond; this replica counts rate limits on its own');
  }

  function onAvailable(): void {
    if (closed || state === 'up') return;
    state = 'up';
    logger.info('rate limits are shared through Redis');
  }

  /** Probes Redis. Probes do not overlap: each ends with its reply, or when its silent connection is closed. */
  async function check(): Promise<void> {
    if (probing || !client?.isReady) return;
    probing = true;
    const answered = probe(client).finally(() => {
      probing = false;
    });
    try {
      await withTimeout(answered, timeoutMs, 'a probe of Redis');
      onAvailable();
    } catch (error) {
      isDown(error);
    }
  }

  async function connect(): Promise<void> {
    // Loaded only if needed: the package is large, and most installations have no Redis.
    const { createClient } = await import('@redis/client');
    if (closed) return;
    client = createClient({
      url,
      name: 'waymark-limits',
      disableOfflineQueue: true,
      commandsQueueMaxLength: COMMANDS_MAX,
      // Off: this timeout covers only commands that are not sent yet, and each needs an AbortSignal.
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
  const prober = startPeriodicTask({ everyMs: PROBE_EVERY_MS, work: check, onError: isDown });

  return {
    isUp: () => state === 'up',
    async send(command) {
      try {
        return await withTimeout(command(client!), timeoutMs, 'a command of Redis');
      } catch (error) {
        isDown(error);
        return null;
      }
    },
    close() {
      closed = true;
      state = 'down';
      void prober.close();
      client?.destroy();
    },
  };
}
