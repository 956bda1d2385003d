import { expect, test } from 'vitest';
import { createReplicas } from './replicas.ts';

const [a, b] = ['http://a:1', 'http://b:1'] as const;

function world() {
  const clock = { now: 0 };
  const replicas = createReplicas([`${a}/`, b], () => clock.now);
  return { clock, replicas, ask: (times: number) => Array.from({ length: times }, () => replicas.next()) };
}

test('replicas are asked in turn; one that cannot be reached is left out for a second', () => {
  const { clock, replicas, ask } = world();
  expect(ask(4)).toEqual([a, b, a, b]);
  replicas.eject(a, 'unreachable');
  expect(ask(3)).toEqual([b, b, b]);
  clock.now = 1_000;
  expect(new Set(ask(2))).toEqual(new Set([a, b]));
});

test('one that is about to stop is left out for longer than that takes, also when it cannot be reached then', () => {
  const { clock, replicas, ask } = world();
  replicas.eject(a, 'stopping');
  clock.now = 11_000;
  replicas.eject(a, 'unreachable');
  clock.now = 14_999;
  expect(ask(2)).toEqual([b, b]);
  clock.now = 15_000;
  expect(new Set(ask(2))).toEqual(new Set([a, b]));
});

test('where all are left out: one that is stopping before one that is unreachable, and the soonest back first', () => {
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
