import { expect, test } from 'vitest';
import { Turns } from './turns.ts';

test('work of one key happens one at a time in order, of two keys at once', async () => {
  const turns = new Turns();
  const log: string[] = [];
  const work = (name: string) => async () => {
    log.push(`${name} begins`);
    await new Promise((resolve) => setTimeout(resolve, 5));
    log.push(`${name} ends`);
    if (name === 'a1') throw new Error('failed');
  };
  const results = await Promise.allSettled([
    turns.take('a', 1_000, work('a1')),
    turns.take('a', 1_000, work('a2')),
    turns.take('b', 1_000, work('b1')),
  ]);
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled']);
  expect(log.filter((line) => line.startsWith('a'))).toEqual(['a1 begins', 'a1 ends', 'a2 begins', 'a2 ends']);
  expect(log.indexOf('b1 begins')).toBeLessThan(log.indexOf('a1 ends'));
});

test('who waits too long is refused, and those behind still come in order', async () => {
  const turns = new Turns();
  let finish = () => {};
  const first = turns.take('a', 1_000, () => new Promise<void>((resolve) => (finish = resolve)));
  let done = false;
  await expect(
    turns.take('a', 10, async () => {
      done = true;
    }),
  ).rejects.toMatchObject({ code: 'unavailable' });
  let third = false;
  const last = turns.take('a', 1_000, async () => {
    third = true;
  });
  await new Promise((resolve) => setTimeout(resolve, 10));
  expect(third).toBe(false);
  finish();
  await Promise.all([first, last]);
  expect([done, third]).toEqual([false, true]);
});
