import { expect, test } from 'vitest';
import { createReplicas } from './replicas.ts';

const [a, b] = ['http://a:1', 'http://b:1'] as const;

function world() {
  const clock = { now: 0 };
  const replicas = createReplicas([`${a}/`, b], () => clock.now);
  return { clock, replicas, ask: (times: number) => Array.from({ length: times }, () => replicas.next()) };
}

test('requests rotate over the replicas, and an unreachable one is ejected for a second', () => {
  const { clock, replicas, ask } = world();
  expect(ask(4)).toEqual([a, b, a, b]);
  replicas.eject(a, 'unreachable');
  expect(ask(3)).toEqual([b, b, b]);
  clock.now = 1_000;
  expect(new Set(ask(2))).toEqual(new Set([a, b]));
});

test('a stopping replica is ejected for longer than its shutdown takes, even if it becomes unreachable meanwhile', () => {
  const { clock, replicas, ask } = world();
  replicas.eject(a, 'stopping');
  clock.now = 11_000;
  replicas.eject(a, 'unreachable');
  clock.now = 14_999;
  expect(ask(2)).toEqual([b, b]);
  clock.now = 15_000;
  expect(new Set(ask(2))).toEqual(new Set([a, b]));
});

test('if all replicas are ejected, a stopping one is preferred to an unreachable one, and the one that returns first is used first', () => {
  const { clock, replicas, ask } = world();
  replicas.eject(a, 'stopping');
  clock.now = 5_000;
  replicas.eject(b, 'unreachable');
  expect(ask(2)).toEqual([a, a]);
  replicas.eject(b, 'stopping');
  clock.now = 6_000;
  expect(ask(3)).toEqual([a, a, a]);
  replicas.eject(a, 'unreachable');
  expect(ask(1)).toEqual([b]);
  clock.now = 6_500;
  replicas.eject(b, 'unreachable');
  expect(ask(1)).toEqual([a]);
});
