// Follows each of many links once, straight at links-svc: a visit of a slug that is in no cache reads one document. The
// CPU time of the services includes the clicks. Runs on MONGODB_URL, or on an embedded server without it. `--links N`
// sets how many links (100,000).
import { parseArgs } from 'node:util';
import { processesCpuMs } from './cpu-time.ts';
import { drive } from './load.ts';
import { openWorld } from './world.ts';

const CONNECTIONS = 16;
const MAX_MS = 120_000;
const BROWSER = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:150.0) Gecko/20100101 Firefox/150.0' };

const { values } = parseArgs({
  args: process.argv.slice(2).filter((arg) => arg !== '--'),
  options: { links: { type: 'string', default: '100000' } },
});
const links = Number(values.links);
const { MONGODB_URL: mongodbUrl, CLICKHOUSE_URL: clickhouseUrl } = process.env;
const world = await openWorld({ mongodbUrl, clickhouseUrl }, { links, analyticsReplicas: 1 });
try {
  const paths = world.links.map(({ slug }) => `/${slug}`).values();
  const visit = async () => {
    const { value: path } = paths.next();
    if (path !== undefined) await world.linksHttp.send({ path, headers: BROWSER }, 302);
  };
  const pids = { services: world.pidsOf('links-svc'), database: world.databasePids('mongodb') };
  const before = { services: processesCpuMs(pids.services), database: processesCpuMs(pids.database) };
  const began = performance.now();
  const load = { connections: CONNECTIONS, durationMs: MAX_MS, maxRequests: links };
  const latencies = (await drive(visit, load)).sort((a, b) => a - b);
  const seconds = (performance.now() - began) / 1_000;
  const cpu = (of: keyof typeof pids) =>
    `${((1_000 * (processesCpuMs(pids[of]) - before[of])) / latencies.length).toFixed(0)} µs`;
  console.log(`${latencies.length} first visits of distinct slugs, ${CONNECTIONS} connections`);
  console.log(
    `${(latencies.length / seconds).toFixed(0)} a second, p50 ${latencies[latencies.length >> 1]!.toFixed(2)} ms`,
  );
  console.log(`CPU: links-svc ${cpu('services')}${pids.database.length > 0 ? `, MongoDB ${cpu('database')}` : ''}`);
} finally {
  await world.close();
}
