import { AppError } from '@waymark/contract';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { drainSpool } from '../src/clicks/drain-spool.ts';
import {
  allExist,
  analyticsOf,
  idsOf,
  newClick,
  openSpool,
  startFakeAnalytics,
  temporaryDirectory,
} from './click-fixtures.ts';

/** Leaves a spool with three clicks, and returns what drains it into a fake analytics-svc. */
async function leftSpool() {
  const directory = temporaryDirectory();
  const { spool } = openSpool(directory);
  const clicks = ['link-1', 'link-2', 'link-1'].map((id) => newClick(id));
  await Promise.all(clicks.map((click) => spool.append(click)));
  await spool.close();
  const analytics = await startFakeAnalytics();
  const refreshed: string[] = [];
  const refreshTotals = async (linkIds: string[]) => void refreshed.push(...linkIds);
  const drain = (options: Partial<Parameters<typeof drainSpool>[1]> = {}) =>
    drainSpool(directory, {
      analytics: analyticsOf(analytics),
      existingLinks: allExist,
      refreshTotals,
      timeoutMs: 30_000,
      logger: pino({ level: 'silent' }),
      ...options,
    });
  return { analytics, clicks, refreshed, drain };
}

test('clicks that cannot be sent in time stay in the spool, and a later drain sends them', async () => {
  const { analytics, clicks, drain } = await leftSpool();
  analytics.onBatch = () => {
    throw new AppError('unavailable', 'The database is down.');
  };
  expect(await drain({ timeoutMs: 200 })).toMatchObject({ sent: 0, remaining: 3, bytes: expect.any(Number) });
  analytics.onBatch = () => {};
  expect(await drain()).toEqual({ sent: 3, remaining: 0, bytes: 0, damagedFiles: 0 });
  expect(analytics.allIds()).toEqual(idsOf(clicks));
});

test('a drain that is interrupted before the totals are updated updates them the next time', async () => {
  const { refreshed, drain } = await leftSpool();
  const broken = () => Promise.reject(new Error('links-svc is gone'));
  await expect(drain({ refreshTotals: broken })).rejects.toThrow('links-svc is gone');
  expect(await drain()).toMatchObject({ sent: 0, remaining: 0 });
  expect(refreshed.toSorted()).toEqual(['link-1', 'link-2']);
});

test('clicks that analytics-svc refuses stay in the folder and are reported', async () => {
  const { analytics, drain } = await leftSpool();
  analytics.onBatch = () => {
    throw new AppError('invalid', 'No.');
  };
  const result = await drain();
  expect(result).toMatchObject({ sent: 0, remaining: 0 });
  expect(result.bytes).toBeGreaterThan(0);
});
