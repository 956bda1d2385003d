import { randomBytes } from 'node:crypto';
import { createShortHost } from '../data/short-host.ts';
import type { Work } from '../work.ts';
import type { World } from '../world.ts';
import { BROWSER, REQUESTS } from './redirects.ts';

/**
 * Prepares redirects at links-svc of as many slugs on a short host as on the default host, all of one account. The floor
 * is our own redirect on the default host.
 */
export async function shortHostRedirectWork(world: World, slugCount: number): Promise<Work> {
  const host = `go-${randomBytes(4).toString('hex')}.bench.example`;
  const onHost = await createShortHost(world, host, slugCount);
  const onDefault = world.links.slice(0, slugCount).map(({ slug }) => slug);
  const side = (slugs: readonly string[], askedHost: string) => ({
    send: async () => {
      const slug = slugs[Math.floor(Math.random() * slugs.length)]!;
      await world.linksHttp.send({ path: `/${slug}`, headers: { 'user-agent': BROWSER, host: askedHost } }, 302);
    },
    pids: () => world.pidsOf('links-svc'),
    leavesWork: true,
  });
  return {
    name: 'redirect on a short host',
    data: `${slugCount.toLocaleString('en')} slugs`,
    requestsPerRound: REQUESTS,
    measure: 'cpu',
    endpoints: [{ endpoint: 'links-svc', limit: 1.2, ...side(onHost, host) }],
    floor: { name: 'the same on the default host', ...side(onDefault, new URL(world.stack.publicUrl).host) },
    databasePids: () => world.databasePids('mongodb'),
  };
}
