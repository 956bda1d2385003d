import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Work } from '../src/work.ts';
import { analyticsWork } from '../src/works/analytics.ts';
import { ingestionWork } from '../src/works/ingestion.ts';
import { linksWorks } from '../src/works/links.ts';
import { mcpWork } from '../src/works/mcp.ts';
import { redirectWork } from '../src/works/redirects.ts';
import { shortHostRedirectWork } from '../src/works/short-host-redirects.ts';
import { openWorld, type World } from '../src/world.ts';

const EMBEDDED = { mongodbUrl: undefined, clickhouseUrl: undefined };

let world: World;
beforeAll(async () => {
  world = await openWorld(EMBEDDED, { links: 60, analyticsReplicas: 2 });
});
afterAll(() => world.close());

test.each<[string, () => Promise<Work[]>]>([
  ['links', () => linksWorks(world)],
  ['redirects', async () => [await redirectWork(world, 50), await shortHostRedirectWork(world, 50)]],
  ['mcp', async () => [await mcpWork(world)]],
  ['analytics', async () => [await analyticsWork(world, 1_000)]],
  ['ingestion', async () => [await ingestionWork(world)]],
])('every request of %s gets the expected response from each endpoint and from its floor', async (_, works) => {
  for (const { endpoints, floor } of await works()) {
    for (const side of [...endpoints, floor]) {
      await side.send();
      expect(side.pids().length).toBeGreaterThan(0);
    }
  }
});

test('the CPU time of all replicas of a service is measured', () => {
  expect(world.pidsOf('analytics-svc')).toHaveLength(2);
  expect(new Set(world.pidsOf('analytics-svc', 'links-svc')).size).toBe(3);
});
