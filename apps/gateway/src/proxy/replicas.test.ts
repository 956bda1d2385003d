import { expect, test } from 'vitest';
import { createReplicas } from './replicas.ts';

test('replicas are asked in turn; one that cannot be reached is left out for a second, unless it is the last', () => {
  let now = 0;
  const replicas = createReplicas(['http://a:1/', 'http://b:1'], () => now);
  const [a, b] = ['http://a:1', 'http://b:1'] as const;
  const ask = (times: number) => Array.from({ length: times }, () => replicas.next());
  expect(ask(4)).toEqual([a, b, a, b]);
  replicas.leaveOut(a);
  expect(ask(3)).toEqual([b, b, b]);
  replicas.leaveOut(b);
  expect(new Set(ask(4))).toEqual(new Set([a, b]));
  now = 1000;
  expect(new Set(ask(2))).toEqual(new Set([a, b]));
});
