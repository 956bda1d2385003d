import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createLinksWithRules } from '../data/links-with-rules.ts';
import { createShortHost } from '../data/short-host.ts';
import type { HttpTarget } from '../http-target.ts';
import type { EndpointSide, Work } from '../work.ts';
import type { World } from '../world.ts';

const BROWSER = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36';

/** Limits apply to redirects of this many slugs. */
const SLUGS = 1_000;
/**
 * Redirects per round. The periodic work of links-svc for clicked or changed links has the same weight as under steady
 * load only if a round takes long enough.
 */
const REQUESTS = 60_000;
/** Each first visit needs a slug of its own. The warm-up and all rounds take 35 times as many as a round. */
const ROUNDS_OF_FIRST_VISITS = 50;

/**
 * Prepares redirects with their clicks. The cost includes the delivery by links-svc, but not what analytics-svc does with
 * the clicks, which is measured separately. First visits are measured first, while no slug is in a cache.
 */
export async function redirectWorks(world: World): Promise<Work[]> {
  const slugs = someSlugs(world);
  const file = join(world.folder, 'destinations.json');
  await writeFile(file, JSON.stringify(world.links.map(({ slug, destinationUrl }) => [slug, destinationUrl])));
  const floor = await world.startFloor('redirect', { DESTINATIONS_FILE: file });
  const host = `go-${randomBytes(4).toString('hex')}.bench.example`;
  const onHost = await createShortHost(world, host, slugs.length);
  const linksSvc = redirectsOf(world);
  const toMap = { name: 'Fastify, 302 from a Map', pids: () => [floor.pid] };
  const about = { measure: 'cpu', databasePids: () => world.databasePids('mongodb') } as const;
  const data = `${slugs.length.toLocaleString('en')} slugs`;
  return [
    {
      name: 'first visit of a slug',
      data: `${world.links.length.toLocaleString('en')} links`,
      requestsPerRound: Math.ceil(world.links.length / ROUNDS_OF_FIRST_VISITS),
      endpoints: [linksSvc(follow(world, world.linksHttp, eachOnce(world.links)), null)],
      floor: { ...toMap, send: follow(world, floor.target, random(slugs)) },
      ...about,
    },
    {
      name: 'redirect with its click',
      data,
      requestsPerRound: REQUESTS,
      endpoints: [
        linksSvc(follow(world, world.linksHttp, random(slugs)), 2.5),
        {
          endpoint: 'gateway',
          limit: 11,
          send: follow(world, world.gateway, random(slugs)),
          pids: () => world.pidsOf('gateway', 'links-svc'),
          leavesWork: true,
        },
      ],
      floor: { ...toMap, send: follow(world, floor.target, random(slugs)) },
      ...about,
    },
    {
      name: 'redirect on a short host',
      data,
      requestsPerRound: REQUESTS,
      endpoints: [linksSvc(follow(world, world.linksHttp, random(onHost), host), 1.2)],
      floor: {
        ...linksSvc(follow(world, world.linksHttp, random(slugs)), null),
        name: 'the same on the default host',
      },
      ...about,
    },
  ];
}

/** Prepares redirects of links with rules, which earlier versions do not have: compared with those without. */
export async function rulesWork(world: World): Promise<Work> {
  const slugs = someSlugs(world);
  const withRules = await createLinksWithRules(world, slugs.length);
  const linksSvc = redirectsOf(world);
  return {
    name: 'redirect with ten rules',
    data: `${slugs.length.toLocaleString('en')} slugs`,
    requestsPerRound: REQUESTS,
    measure: 'cpu',
    databasePids: () => world.databasePids('mongodb'),
    endpoints: [linksSvc(follow(world, world.linksHttp, random(withRules)), 2)],
    floor: { ...linksSvc(follow(world, world.linksHttp, random(slugs)), null), name: 'the same without rules' },
  };
}

const random = (slugs: readonly string[]) => () => slugs[Math.floor(Math.random() * slugs.length)]!;

/** Returns a function that follows the next link, on a short host or on the default one. */
function follow({ stack }: World, target: HttpTarget, next: () => string, host = new URL(stack.publicUrl).host) {
  return async () => {
    await target.send({ path: `/${next()}`, headers: { 'user-agent': BROWSER, host } }, 302);
  };
}

const redirectsOf =
  (world: World) =>
  (send: () => Promise<void>, limit: number | null): EndpointSide => ({
    endpoint: 'links-svc',
    limit,
    send,
    pids: () => world.pidsOf('links-svc'),
    leavesWork: true,
  });

/** Returns a function that returns the slug of the next link. Throws after the last one. */
function eachOnce(links: World['links']): () => string {
  let next = 0;
  return () => {
    const link = links[next++];
    if (link === undefined) throw new Error('each slug was visited; measure with more links');
    return link.slug;
  };
}

/** Returns the slugs of {@link SLUGS} links at equal distances, or of all links if there are fewer. */
function someSlugs({ links }: World): string[] {
  const count = Math.min(SLUGS, links.length);
  return Array.from({ length: count }, (_, index) => links[Math.floor((index * links.length) / count)]!.slug);
}
