import { setTimeout as sleep } from 'node:timers/promises';
import { AppError, UNAVAILABLE_MESSAGE } from '@waymark/contract';
import { type Logger, notReadyLog, UnmetRequirement } from '@waymark/service-kit';
import type { Database } from './database.ts';
import { migrate } from './migrate.ts';
import type { Topology } from './topology.ts';

/** The state of the tables that the service needs. */
export interface Preparation {
  /** @throws {AppError} `unavailable` until the tables are ready; its cause may be an {@link UnmetRequirement}. */
  requireReady(): void;
  isReady(): boolean;
  /**
   * Returns how the tables are held.
   * @throws {AppError} `unavailable` until that is known.
   */
  topology(): Topology;
  /** Resolves when the tables are ready. */
  ready: Promise<void>;
  /** Resolves when the tables are ready, when it is known why they cannot be, or after `timeoutMs`. */
  settled(timeoutMs: number): Promise<void>;
  /** Stops retrying. Resolves when nothing runs any more. */
  close(): Promise<void>;
}

const RETRY_MS = 1_000;

/** Creates the tables in the background. Retries until it succeeds. */
export function prepareDatabase(database: Database, cluster: string | undefined, logger: Logger): Preparation {
  const closing = new AbortController();
  const logNotReady = notReadyLog(logger, 'ClickHouse');
  let found: Topology | undefined;
  let lastError: unknown = new Error('the tables are not there yet');
  const ready = Promise.withResolvers<void>();
  const unmet = Promise.withResolvers<void>();

  async function run(): Promise<void> {
    while (!closing.signal.aborted) {
      try {
        found = await migrate(database, cluster);
        logger.info({ topology: found.kind }, 'the database is ready');
        ready.resolve();
        return;
      } catch (error) {
        lastError = error;
        if (error instanceof UnmetRequirement) unmet.resolve();
        logNotReady(error);
      }
      await sleep(RETRY_MS, undefined, { signal: closing.signal }).catch(() => {});
    }
  }

  const running = run();
  function topology(): Topology {
    if (found === undefined) throw new AppError('unavailable', UNAVAILABLE_MESSAGE, { cause: lastError });
    return found;
  }
  return {
    topology,
    ready: ready.promise,
    isReady: () => found !== undefined,
    requireReady() {
      topology();
    },
    async settled(timeoutMs) {
      const timeout = new AbortController();
      await Promise.race([
        ready.promise,
        unmet.promise,
        sleep(timeoutMs, undefined, { signal: timeout.signal }).catch(() => {}),
      ]);
      timeout.abort();
    },
    async close() {
      closing.abort();
      await running;
    },
  };
}
