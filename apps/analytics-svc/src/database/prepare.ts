import { setTimeout as sleep } from 'node:timers/promises';
import { AppError, UNAVAILABLE_MESSAGE } from '@waymark/contract';
import { type Logger, notReadyLog } from '@waymark/service-kit';
import type { Database } from './database.ts';
import { migrate } from './migrate.ts';
import { applyRetention } from './retention.ts';

/** Whether the database has the schema that the service needs. */
export interface Preparation {
  /** @throws {AppError} `unavailable` until the schema is there. */
  requireReady(): void;
  /** Resolves when the schema is there, or after this time. */
  settled(timeoutMs: number): Promise<void>;
  /** Stops trying; resolves when nothing runs any more. */
  close(): Promise<void>;
}

const RETRY_MS = 1_000;

/** Brings the schema up in the background, trying until ClickHouse is there. */
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
