import { expect, test } from 'vitest';
import { type Replica, Replicas } from './replicas.ts';

const [a, b] = ['http://10.0.0.1:1', 'http://10.0.0.2:1'] as const;

async function world() {
  const clock = { now: 0 };
  const replicas = new Replicas([`${a}/`, b], () => clock.now);
  const [first, second] = (await replicas.all()) as [Replica, Replica];
  const ask = async (times: number) => {
    const origins: string[] = [];
    for (let n = 0; n < times; n++) origins.push((await replicas.inOrder())[0]!.origin);
    return origins;
  };
  return { clock, replicas, first, second, ask };
}

test('requests rotate over the replicas, and an unreachable one is ejected for a second', async () => {
  const { clock, replicas, first, ask } = await world();
  expect(await ask(4)).toEqual([a, b, a, b]);
  replicas.eject(first, 'unavailable');
  expect(await ask(3)).toEqual([b, b, b]);
  clock.now = 1_000;
  expect(new Set(await ask(2))).toEqual(new Set([a, b]));
});

test('a stopping replica is ejected for longer than its shutdown takes, even if it becomes unreachable meanwhile', async () => {
  const { clock, replicas, first, ask } = await world();
  replicas.eject(first, 'stopping');
  clock.now = 11_000;
  replicas.eject(first, 'unavailable');
  clock.now = 14_999;
  expect(await ask(2)).toEqual([b, b]);
  clock.now = 15_000;
  expect(new Set(await ask(2))).toEqual(new Set([a, b]));
});

test('a request tries every replica, those that are ejected last', async () => {
  const { replicas, first, second } = await world();
  replicas.eject(first, 'stopping');
  replicas.eject(second, 'unavailable');
  const inOrder = await replicas.inOrder();
  expect(inOrder.map(({ origin }) => origin)).toEqual([b, a]);
});
