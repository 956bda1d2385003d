import { expect, test } from 'vitest';
import { createMemoryCounter } from './memory-counter.ts';

const LIMIT = 3;

test('a window begins with the first event and ends after a minute', () => {
  let now = 1_000;
  const counter = createMemoryCounter(() => now);
  expect(counter.take('a', LIMIT)).toEqual({ counted: true, events: 1, used: 1, resetSeconds: 60, in: 'memory' });
  now += 30_500;
  expect(counter.take('a', LIMIT)).toMatchObject({ counted: true, used: 2, resetSeconds: 30 });
  expect(counter.take('b', LIMIT)).toMatchObject({ counted: true, used: 1, resetSeconds: 60 });
  expect(counter.peek('a')).toEqual({ used: 2, resetSeconds: 30 });
  now += 29_499;
  expect(counter.peek('a')).toEqual({ used: 2, resetSeconds: 1 });
  now += 1;
  expect(counter.peek('a')).toEqual({ used: 0, resetSeconds: 60 });
  expect(counter.take('a', LIMIT)).toMatchObject({ counted: true, used: 1, resetSeconds: 60 });
});

test('what is beyond the limit is not counted, what is given back counts no more', () => {
  const counter = createMemoryCounter(() => 0);
  const taken = [1, 2, 3, 4, 5].map(() => counter.take('a', LIMIT));
  expect(taken.map(({ counted, used }) => [counted, used])).toEqual([
    [true, 1],
    [true, 2],
    [true, 3],
    [false, 3],
    [false, 3],
  ]);
  counter.refund('a', taken[4]!);
  expect(counter.peek('a').used).toBe(3);
  counter.refund('a', taken[0]!);
  expect(counter.take('a', LIMIT)).toMatchObject({ counted: true, used: 3 });
  expect(counter.take('a', LIMIT).counted).toBe(false);
});

test('of several events all are counted or none, and all are given back', () => {
  const counter = createMemoryCounter(() => 0);
  const two = counter.take('a', LIMIT, 2);
  expect(two).toMatchObject({ counted: true, events: 2, used: 2 });
  expect(counter.take('a', LIMIT, 2)).toMatchObject({ counted: false, used: 2 });
  expect(counter.take('a', LIMIT, 1)).toMatchObject({ counted: true, used: 3 });
  counter.refund('a', two);
  expect(counter.peek('a').used).toBe(1);
  expect(counter.take('b', LIMIT, LIMIT + 1)).toMatchObject({ counted: false, used: 0, resetSeconds: 60 });
  expect(counter.take('b', LIMIT, LIMIT)).toMatchObject({ counted: true, used: LIMIT });
});

test('giving back does not begin the window again, and nothing is below zero', () => {
  let now = 0;
  const counter = createMemoryCounter(() => now);
  const taken = counter.take('a', LIMIT);
  counter.refund('a', taken);
  counter.refund('a', taken);
  now = 20_000;
  expect(counter.peek('a')).toEqual({ used: 0, resetSeconds: 40 });
  expect(counter.take('a', LIMIT)).toMatchObject({ used: 1, resetSeconds: 40 });
});
