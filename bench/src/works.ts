import type { Part } from './options.ts';
import type { EndpointSide, Work } from './work.ts';
import { analyticsWork } from './works/analytics.ts';
import { ingestionWork } from './works/ingestion.ts';
import { keysWorks } from './works/keys.ts';
import { mcpWork } from './works/mcp.ts';
import { redirectWorks, rulesWork } from './works/redirects.ts';
import { linksWorks, listsWorks } from './works/rest.ts';
import type { World } from './world.ts';

/** Clicks in a year, of the account whose analytics are measured. */
const CLICKS = 1_000_000;

const WORKS: Record<Part, (world: World, clicks: number) => Promise<Work[]>> = {
  links: linksWorks,
  lists: listsWorks,
  keys: keysWorks,
  redirects: redirectWorks,
  rules: async (world) => [await rulesWork(world)],
  mcp: async (world) => [await mcpWork(world)],
  analytics: async (world, clicks) => [await analyticsWork(world, clicks)],
  ingestion: async (world) => [await ingestionWork(world)],
};

/** Prepares the works of a part. May load data that would change what works of earlier parts measure. */
export function worksOf(part: Part, world: World, clicks = CLICKS): Promise<Work[]> {
  return WORKS[part](world, clicks);
}

/** Returns the works of one world with those of another world, that of `name`, in place of their floors. */
export function compared(ours: readonly Work[], theirs: readonly Work[], name: string): Work[] {
  const sideOf = (side: EndpointSide, { databasePids }: Work) => ({ ...side, databasePids, limit: null });
  return ours.flatMap((work, index) =>
    work.endpoints.map((endpoint, at) => {
      const other = theirs[index]!;
      return {
        ...work,
        endpoints: [sideOf(endpoint, work)],
        floor: { ...sideOf(other.endpoints[at]!, other), name },
      };
    }),
  );
}
