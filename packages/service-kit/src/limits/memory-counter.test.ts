import { expect, test } from 'vitest';
import { createMemoryCounter } from './memory-counter.ts';
import type { WindowCounter } from './window-counter.ts';

const LIMIT = 3;

/** Returns the usage of a subject. Two events never fit within a limit of one, so nothing is counted. */
async function usageOf(counter: WindowCounter, subject: string) {
  const { used, resetSeconds } = await counter.count(subject, 1, 2);
  return { used, resetSeconds };
}

test('a window that has just begun lasts 60 seconds, although floating-point times differ by more', async () => {
  const nowMs = 7000.0277;
  expect(nowMs + 60_000 - nowMs).toBeGreaterThan(60_000);
  expect(await createMemoryCounter(() => nowMs).count('a', LIMIT)).toMatchObject({ resetSeconds: 60 });
});

test('a window begins with the first event and ends after a minute', async () => {
  let now = 1_000;
  const counter = createMemoryCounter(() => now);
  expect(await counter.count('a', LIMIT)).toEqual({
    counted: true,
    events: 1,
    used: 1,
    resetSeconds: 60,
    in: 'memory',
  });
  now += 30_500;
  expect(await counter.count('a', LIMIT)).toMatchObject({ counted: true, used: 2, resetSeconds: 30 });
  expect(await counter.count('b', LIMIT)).toMatchObject({ counted: true, used: 1, resetSeconds: 60 });
  expect(await usageOf(counter, 'a')).toEqual({ used: 2, resetSeconds: 30 });
  now += 29_499;
  expect(await usageOf(counter, 'a')).toEqual({ used: 2, resetSeconds: 1 });
  now += 1;
  expect(await usageOf(counter, 'a')).toEqual({ used: 0, resetSeconds: 60 });
  expect(await counter.count('a', LIMIT)).toMatchObject({ counted: true, used: 1, resetSeconds: 60 });
});

test('an event beyond the limit is not counted, and a refunded event no longer counts', async () => {
  const counter = createMemoryCounter(() => 0);
  const result = await Promise.all([1, 2, 3, 4, 5].map(() => counter.count('a', LIMIT)));
  expect(result.map(({ counted, used }) => [counted, used])).toEqual([
    [true, 1],
    [true, 2],
    [true, 3],
    [false, 3],
    [false, 3],
  ]);
  counter.refund('a', result[4]!);
  expect((await usageOf(counter, 'a')).used).toBe(3);
  counter.refund('a', result[0]!);
  expect(await counter.count('a', LIMIT)).toMatchObject({ counted: true, used: 3 });
  expect((await counter.count('a', LIMIT)).counted).toBe(false);
});

test('several events are counted together or not at all, and are refunded together', async () => {
  const counter = createMemoryCounter(() => 0);
  const two = await counter.count('a', LIMIT, 2);
  expect(two).toMatchObject({ counted: true, events: 2, used: 2 });
  expect(await counter.count('a', LIMIT, 2)).toMatchObject({ counted: false, used: 2 });
  expect(await counter.count('a', LIMIT, 1)).toMatchObject({ counted: true, used: 3 });
  counter.refund('a', two);
  expect((await usageOf(counter, 'a')).used).toBe(1);
  expect(await counter.count('b', LIMIT, LIMIT + 1)).toMatchObject({ counted: false, used: 0, resetSeconds: 60 });
  expect(await counter.count('b', LIMIT, LIMIT)).toMatchObject({ counted: true, used: LIMIT });
});

test('a refund does not restart the window, and the count never goes below zero', async () => {
  let now = 0;
  const counter = createMemoryCounter(() => now);
  const result = await counter.count('a', LIMIT);
  counter.refund('a', result);
  counter.refund('a', result);
  now = 20_000;
  expect(await usageOf(counter, 'a')).toEqual({ used: 0, resetSeconds: 40 });
  expect(await counter.count('a', LIMIT)).toMatchObject({ used: 1, resetSeconds: 40 });
});
