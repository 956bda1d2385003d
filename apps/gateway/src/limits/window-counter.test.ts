import { expect, test } from 'vitest';
import { createWindowCounter } from './window-counter.ts';

test('a window begins with the first event and ends after a minute', () => {
  let now = 1000;
  const counter = createWindowCounter(() => now);
  expect(counter.add('a')).toEqual({ used: 1, resetSeconds: 60 });
  now += 30_500;
  expect(counter.add('a')).toEqual({ used: 2, resetSeconds: 30 });
  expect(counter.add('b')).toEqual({ used: 1, resetSeconds: 60 });
  expect(counter.peek('a')).toEqual({ used: 2, resetSeconds: 30 });
  now += 29_500;
  expect(counter.peek('a')).toEqual({ used: 0, resetSeconds: 60 });
  expect(counter.add('a')).toEqual({ used: 1, resetSeconds: 60 });
});
