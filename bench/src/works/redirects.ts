import type { HttpTarget } from '../http-target.ts';
import type { Work } from '../work.ts';
import type { World } from '../world.ts';

const SLUGS = 1_000;
const BROWSER = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36';

/** Redirects of 1,000 random slugs, each with its click recorded and delivered, at links-svc and through the gateway. */
export async function redirectWork(world: World): Promise<Work> {
  const { links } = world;
  const slugs = Array.from({ length: SLUGS }, () => links[Math.floor(Math.random() * links.length)]!.slug);
  const floor = await world.startFloor('redirect', { SLUGS: slugs.join(',') });
  const follow = (target: HttpTarget) => async () => {
    const slug = slugs[Math.floor(Math.random() * slugs.length)]!;
    await target.send({ path: `/${slug}`, headers: { 'user-agent': BROWSER } }, 302);
  };
  return {
    name: 'redirect with its click, 1,000 slugs',
    requestsPerRound: 3_000,
    measure: 'cpu',
    doors: [
      { door: 'links-svc', limit: 2, send: follow(world.linksHttp), pids: () => world.pidsOf('links-svc') },
      { door: 'gateway', limit: 4, send: follow(world.gateway), pids: () => world.pidsOf('gateway', 'links-svc') },
    ],
    floor: { name: 'Fastify, 302 from a Map', send: follow(floor.target), pids: () => [floor.pid] },
    databasePids: () => world.databasePids('mongodb'),
  };
}
