import { setTimeout as sleep } from 'node:timers/promises';
import { AppError, UNAVAILABLE_MESSAGE } from '@waymark/contract';
import { type Logger, notReadyLog } from '@waymark/service-kit';
import type { Database } from './database.ts';
import { migrate } from './migrate.ts';
import { applyRetention } from './retention.ts';

/** The state of the database schema that the service needs. */
export interface Preparation {
  /** @throws {AppError} `unavailable` until the schema is ready. */
  requireReady(): void;
  /** Resolves when the schema is ready, or after `timeoutMs`. */
  settled(timeoutMs: number): Promise<void>;
  /** Stops retrying. Resolves when nothing runs any more. */
  close(): Promise<void>;
}

const RETRY_MS = 1_000;

/** Migrates the database and applies the retention in the background. Retries until it succeeds. */
export function prepareDatabase(database: Database, retentionDays: number | undefined, logger: Logger): Preparation {
  const closing = new AbortController();
  const logNotReady = notReadyLog(logger, 'ClickHouse');
  let ready = false;

  async function run(): Promise<void> {
    while (!closing.signal.aborted) {
      try {
        await migrate(database);
        await applyRetention(database, retentionDays);
        ready = true;
        logger.info('the database is ready');
        return;
      } catch (error) {
        logNotReady(error);
      }
      await sleep(RETRY_MS, undefined, { signal: closing.signal }).catch(() => {});
    }
  }

  const running = run();
  return {
    requireReady() {
      if (!ready)
        throw new AppError('unavailable', UNAVAILABLE_MESSAGE, { cause: new Error('the schema is not there yet') });
    },
    async settled(timeoutMs) {
      const timeout = new AbortController();
      await Promise.race([running, sleep(timeoutMs, undefined, { signal: timeout.signal }).catch(() => {})]);
      timeout.abort();
    },
    async close() {
      closing.abort();
      await running;
    },
  };
}
