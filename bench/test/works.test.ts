import { afterAll, beforeAll, expect, test } from 'vitest';
import { PARTS } from '../src/options.ts';
import { compared, worksOf } from '../src/works.ts';
import { openWorld, type World } from '../src/world.ts';

let world: World;
beforeAll(async () => {
  world = await openWorld({ links: 60, analyticsReplicas: 2 });
});
afterAll(() => world.close());

test.each(PARTS)(
  'every request of %s gets the expected response from each endpoint and from its floor',
  async (part) => {
    for (const { endpoints, floor } of await worksOf(part, world, 1_000)) {
      for (const side of [...endpoints, floor]) {
        await side.send();
        expect(side.pids().length).toBeGreaterThan(0);
      }
    }
  },
);

test('works against those of another world have a row for each endpoint, and no limit', async () => {
  const works = await worksOf('mcp', world);
  const [work, ...others] = compared(works, works, 'abc1234');
  expect(others).toEqual([]);
  expect([work!.name, work!.floor.name, work!.endpoints[0]!.limit]).toEqual([works[0]!.name, 'abc1234', null]);
  expect(work!.floor.send).toBe(works[0]!.endpoints[0]!.send);
});

test('the CPU time of all replicas of a service is measured', () => {
  expect(world.pidsOf('analytics-svc')).toHaveLength(2);
  expect(new Set(world.pidsOf('analytics-svc', 'links-svc')).size).toBe(3);
});
