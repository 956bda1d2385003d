import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { callTimeMs, piecesWithoutDeadline, runWithDeadline, runWithoutDeadline, timeLeftMs } from './deadline.ts';

test('the time of a request is what is left of it, in all that it waits for', async () => {
  const left = await runWithDeadline(10_000, async () => {
    const before = timeLeftMs(99_000);
    await sleep(50);
    return { before, after: timeLeftMs(99_000), call: callTimeMs(99_000) };
  });
  expect(left.before).toBeLessThanOrEqual(10_000);
  expect(left.after).toBeLessThan(left.before);
  // Another service answers while there is time left to respond.
  expect(left.call).toBeLessThan(left.after);
});

test('a step gets a whole number of milliseconds, also when the time is over', () => {
  expect(runWithDeadline(-5, () => [timeLeftMs(1_000), callTimeMs(1_000)])).toEqual([1, 1]);
  expect(runWithDeadline(10.7, () => Number.isInteger(timeLeftMs(1_000)))).toBe(true);
});

test('work without a deadline has its own limit', async () => {
  expect([timeLeftMs(1_000), callTimeMs(1_000)]).toEqual([1_000, 1_000]);
  const shared = await runWithDeadline(10, () =>
    runWithoutDeadline(async () => {
      await sleep(20);
      return timeLeftMs(1_000);
    }),
  );
  expect(shared).toBe(1_000);
});

test('the pieces of a long response have no deadline, and are given up when their reader stops', async () => {
  let isEnded = false;
  async function* limits() {
    try {
      for (;;) yield timeLeftMs(1_000);
    } finally {
      isEnded = true;
    }
  }
  await runWithDeadline(10, async () => {
    const found: number[] = [];
    for await (const limit of piecesWithoutDeadline(limits())) if (found.push(limit) === 3) break;
    expect(found).toEqual([1_000, 1_000, 1_000]);
  });
  expect(isEnded).toBe(true);
});
