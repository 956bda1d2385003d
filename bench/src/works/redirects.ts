import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { HttpTarget } from '../http-target.ts';
import type { Work } from '../work.ts';
import type { World } from '../world.ts';

const BROWSER = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36';

/**
 * In a round. What links-svc does by the clock for the links whose clicks or changes it has heard of weighs as it does
 * under a steady load only where a round takes a while.
 */
const REQUESTS = 20_000;

/**
 * Redirects of random slugs, each with its click recorded and delivered, at links-svc and through the gateway. What
 * links-svc does to deliver the clicks is of its cost; what analytics-svc does with them is measured on its own.
 */
export async function redirectWork(world: World, slugCount: number): Promise<Work> {
  const links = someOf(world.links, slugCount);
  const file = join(world.folder, 'destinations.json');
  await writeFile(file, JSON.stringify(links.map(({ slug, destinationUrl }) => [slug, destinationUrl])));
  const floor = await world.startFloor('redirect', { DESTINATIONS_FILE: file });
  const follow = (target: HttpTarget) => async () => {
    const { slug } = links[Math.floor(Math.random() * links.length)]!;
    await target.send({ path: `/${slug}`, headers: { 'user-agent': BROWSER } }, 302);
  };
  return {
    name: 'redirect with its click',
    data: `${slugCount.toLocaleString('en')} slugs`,
    requestsPerRound: REQUESTS,
    measure: 'cpu',
    leavesWork: true,
    doors: [
      { door: 'links-svc', limit: 2, send: follow(world.linksHttp), pids: () => world.pidsOf('links-svc') },
      { door: 'gateway', limit: 10, send: follow(world.gateway), pids: () => world.pidsOf('gateway', 'links-svc') },
    ],
    floor: { name: 'Fastify, 302 from a Map', send: follow(floor.target), pids: () => [floor.pid] },
    databasePids: () => world.databasePids('mongodb'),
  };
}

/** Values at even distances from each other. */
function someOf<T>(values: readonly T[], count: number): T[] {
  return Array.from({ length: count }, (_, index) => values[Math.floor((index * values.length) / count)]!);
}
