import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { HttpTarget } from '../http-target.ts';
import type { Work } from '../work.ts';
import type { World } from '../world.ts';

export const BROWSER =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36';

/**
 * Redirects per round. The periodic work of links-svc for clicked or changed links has the same weight as under steady
 * load only if a round takes long enough.
 */
export const REQUESTS = 60_000;

/**
 * Prepares redirects of random slugs, with their clicks recorded and delivered, at links-svc and through the gateway.
 * The cost includes the delivery by links-svc, but not what analytics-svc does with the clicks, which is measured
 * separately.
 */
export async function redirectWork(world: World, slugCount: number): Promise<Work> {
  const links = someOf(world.links, slugCount);
  const file = join(world.folder, 'destinations.json');
  await writeFile(file, JSON.stringify(links.map(({ slug, destinationUrl }) => [slug, destinationUrl])));
  const floor = await world.startFloor('redirect', { DESTINATIONS_FILE: file });
  const headers = { 'user-agent': BROWSER, host: new URL(world.stack.publicUrl).host };
  const follow = (target: HttpTarget) => async () => {
    const { slug } = links[Math.floor(Math.random() * links.length)]!;
    await target.send({ path: `/${slug}`, headers }, 302);
  };
  return {
    name: 'redirect with its click',
    data: `${slugCount.toLocaleString('en')} slugs`,
    requestsPerRound: REQUESTS,
    measure: 'cpu',
    endpoints: [
      {
        endpoint: 'links-svc',
        limit: 2,
        send: follow(world.linksHttp),
        pids: () => world.pidsOf('links-svc'),
        leavesWork: true,
      },
      {
        endpoint: 'gateway',
        limit: 10,
        send: follow(world.gateway),
        pids: () => world.pidsOf('gateway', 'links-svc'),
        leavesWork: true,
      },
    ],
    floor: { name: 'Fastify, 302 from a Map', send: follow(floor.target), pids: () => [floor.pid] },
    databasePids: () => world.databasePids('mongodb'),
  };
}

/** Returns `count` values at equal distances. */
function someOf<T>(values: readonly T[], count: number): T[] {
  return Array.from({ length: count }, (_, index) => values[Math.floor((index * values.length) / count)]!);
}
