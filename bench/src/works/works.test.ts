import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Work } from '../work.ts';
import { openWorld, type World } from '../world.ts';
import { analyticsWork } from './analytics.ts';
import { ingestionWork } from './ingestion.ts';
import { linksWorks } from './links.ts';
import { mcpWork } from './mcp.ts';
import { redirectWork } from './redirects.ts';

const EMBEDDED = { mongodbUrl: undefined, clickhouseUrl: undefined };

let world: World;
beforeAll(async () => {
  world = await openWorld(EMBEDDED, { links: 60, analyticsReplicas: 2 });
});
afterAll(() => world.close());

test.each<[string, () => Promise<Work[]>]>([
  ['links', () => linksWorks(world)],
  ['redirects', async () => [await redirectWork(world, 50)]],
  ['mcp', async () => [await mcpWork(world)]],
  ['analytics', async () => [await analyticsWork(world, 1_000)]],
  ['ingestion', async () => [await ingestionWork(world)]],
])('every request of %s is answered as expected, at each door and by its floor', async (_, works) => {
  for (const { doors, floor } of await works()) {
    for (const side of [...doors, floor]) {
      await side.send();
      expect(side.pids().length).toBeGreaterThan(0);
    }
  }
});

test('all replicas of a service count', () => {
  expect(world.pidsOf('analytics-svc')).toHaveLength(2);
  expect(new Set(world.pidsOf('analytics-svc', 'links-svc')).size).toBe(3);
});
