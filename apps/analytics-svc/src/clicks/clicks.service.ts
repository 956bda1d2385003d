import { AppError } from '@waymark/contract';
import { Counter, type Registry } from 'prom-client';
import { classify } from './classify.ts';
import { type RawClicks, VERDICTS } from './click.ts';
import type { ClicksStore } from './clicks.store.ts';
import type { OriginOf } from './origin.ts';

export interface RecordClicksInput {
  token: string;
  maybeStored: boolean;
  clicks: RawClicks;
}

export interface ClicksService {
  /**
   * Classifies a batch and stores it exactly once. Resolves when ClickHouse has it.
   * @throws {AppError} `rate_limited` if too many batches are waiting; `unavailable` if ClickHouse is.
   */
  record(batch: RecordClicksInput, signal: AbortSignal): Promise<{ counted: number; notCounted: number }>;
}

/** Batches that are stored concurrently: enough to keep ClickHouse busy, few enough to bound memory. */
const RUNNING_MAX = 4;
const WAITING_MAX = 8;
const COUNTED = VERDICTS.indexOf('counted');

export interface ClicksServiceDeps {
  store: ClicksStore;
  originOf: OriginOf;
  registry: Registry;
}

export function createClicksService({ store, originOf, registry }: ClicksServiceDeps): ClicksService {
  const stored = new Counter({
    name: 'clicks_stored_total',
    help: 'Clicks that ClickHouse has acknowledged, by what they count as; a repeated batch is counted again.',
    labelNames: ['verdict'],
    registers: [registry],
  });
  const waiting: (() => void)[] = [];
  let running = 0;

  async function acquire(): Promise<void> {
    if (running < RUNNING_MAX) {
      running++;
      return;
    }
    if (waiting.length >= WAITING_MAX)
      throw new AppError('rate_limited', 'Too many batches of clicks at once; send this one again in a moment.', {
        retryAfterSeconds: 1,
      });
    await new Promise<void>((resolve) => waiting.push(resolve));
  }
  function release(): void {
    const next = waiting.shift();
    if (next === undefined) running--;
    else next();
  }

  return {
    async record({ token, maybeStored, clicks: raw }, signal) {
      await acquire();
      try {
        const clicks = await classify(raw, originOf);
        await store.store({ token, maybeStored, clicks }, signal);
        const counts = VERDICTS.map(() => 0);
        for (const verdict of clicks.verdicts.indexes) counts[verdict]! += 1;
        for (const [verdict, count] of counts.entries()) if (count > 0) stored.labels(VERDICTS[verdict]!).inc(count);
        const counted = counts[COUNTED]!;
        return { counted, notCounted: clicks.count - counted };
      } finally {
        release();
      }
    },
  };
}
