import { expect, test } from 'vitest';
import { createMemoryAttempts } from './memory-attempts.ts';

const LIMIT = 3;

test('failed and open attempts together never exceed the limit', async () => {
  const attempts = createMemoryAttempts(() => 0);
  const begun = await Promise.all([1, 2, 3, 4].map(() => attempts.begin('a', LIMIT)));
  expect(begun.map(({ counted, open }) => [counted, open])).toEqual([
    [true, 1],
    [true, 2],
    [true, 3],
    [false, 3],
  ]);
  attempts.end('a', begun[0]!, true);
  attempts.end('a', begun[3]!, true);
  expect(await attempts.begin('a', LIMIT)).toMatchObject({ counted: false, open: 2 });
  attempts.end('a', begun[1]!, false);
  const next = await attempts.begin('a', LIMIT);
  expect(next).toMatchObject({ counted: true, open: 2 });
  attempts.end('a', begun[2]!, true);
  attempts.end('a', next, true);
  expect(await attempts.begin('a', LIMIT)).toMatchObject({ counted: false, open: 0, resetSeconds: 60 });
  expect(await attempts.begin('b', LIMIT)).toMatchObject({ counted: true, open: 1 });
});

test('ending an attempt of an earlier window does not change the next window', async () => {
  let now = 0;
  const attempts = createMemoryAttempts(() => now);
  const old = await attempts.begin('a', 1);
  now = 60_000;
  const next = await attempts.begin('a', 1);
  expect(next).toMatchObject({ counted: true, open: 1 });
  attempts.end('a', old, false);
  expect(await attempts.begin('a', 1)).toMatchObject({ counted: false, open: 1 });
});
