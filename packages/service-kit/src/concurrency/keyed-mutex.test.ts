import { expect, test } from 'vitest';
import { KeyedMutex } from './keyed-mutex.ts';

test('work with one key runs one at a time and in order, with two keys concurrently', async () => {
  const mutex = new KeyedMutex();
  const log: string[] = [];
  const work = (name: string) => async () => {
    log.push(`${name} begins`);
    await new Promise((resolve) => setTimeout(resolve, 5));
    log.push(`${name} ends`);
    if (name === 'a1') throw new Error('failed');
  };
  const results = await Promise.allSettled([
    mutex.run('a', 1_000, work('a1')),
    mutex.run('a', 1_000, work('a2')),
    mutex.run('b', 1_000, work('b1')),
  ]);
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled']);
  expect(log.filter((line) => line.startsWith('a'))).toEqual(['a1 begins', 'a1 ends', 'a2 begins', 'a2 ends']);
  expect(log.indexOf('b1 begins')).toBeLessThan(log.indexOf('a1 ends'));
});

test('a caller that waits too long is refused, and those behind it still run in order', async () => {
  const mutex = new KeyedMutex();
  let finish = () => {};
  const first = mutex.run('a', 1_000, () => new Promise<void>((resolve) => (finish = resolve)));
  let done = false;
  await expect(
    mutex.run('a', 10, async () => {
      done = true;
    }),
  ).rejects.toMatchObject({ code: 'unavailable' });
  let third = false;
  const last = mutex.run('a', 1_000, async () => {
    third = true;
  });
  await new Promise((resolve) => setTimeout(resolve, 10));
  expect(third).toBe(false);
  finish();
  await Promise.all([first, last]);
  expect([done, third]).toEqual([false, true]);
});
