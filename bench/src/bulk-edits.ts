// Compares the CPU time of 100 creations in one request with that of 100 requests, of gateway, links-svc and database
// together. The two are interleaved. Linux only.
import { threadsCpuMs } from './cpu-time.ts';
import { median } from './statistics.ts';
import { openWorld } from './world.ts';

const LINKS = 1_000;
const CREATIONS = 100;
const ROUNDS = 20;
const WARM_UP_ROUNDS = 5;
const MAX_RATIO = 1 / 5;

const databases = { mongodbUrl: undefined, clickhouseUrl: process.env.CLICKHOUSE_URL || undefined };
const world = await openWorld(databases, { links: LINKS, analyticsReplicas: 1 });
try {
  const { gateway, keyHeaders: headers } = world;
  const links = () =>
    Array.from({ length: CREATIONS }, () => ({
      destination_url: 'https://example.com/summer/offers?item=7',
      title: `Summer ${Math.random()}`,
      description: 'All that is on offer this summer',
      hashtags: ['summer', 'offers'],
    }));
  const single = async () => {
    for (const json of links()) await gateway.send({ path: '/api/v1/links', method: 'POST', json, headers }, 201);
  };
  const bulk = async () => {
    const operations = links().map((link) => ({ op: 'create', link }));
    await gateway.send({ path: '/api/v1/links/bulk', method: 'POST', json: { operations }, headers }, 200);
  };
  const cpuMsOf = async (work: () => Promise<void>) => {
    const pids = [...world.pidsOf('gateway', 'links-svc'), ...world.databasePids('mongodb')];
    const before = threadsCpuMs(pids);
    await work();
    return threadsCpuMs(pids) - before;
  };
  const cpuMs = { single: [] as number[], bulk: [] as number[] };
  for (let round = -WARM_UP_ROUNDS; round < ROUNDS; round++) {
    const [ofSingle, ofBulk] = [await cpuMsOf(single), await cpuMsOf(bulk)];
    if (round < 0) continue;
    cpuMs.single.push(ofSingle);
    cpuMs.bulk.push(ofBulk);
  }
  const [ofSingle, ofBulk] = [median(cpuMs.single), median(cpuMs.bulk)];
  const ratio = ofBulk / ofSingle;
  console.log(`${CREATIONS} requests: ${ofSingle.toFixed(1)} ms of CPU; one request: ${ofBulk.toFixed(1)} ms`);
  console.log(`ratio ${ratio.toFixed(3)}, at most ${MAX_RATIO}: ${ratio <= MAX_RATIO ? 'held' : 'MISSED'}`);
  if (ratio > MAX_RATIO) process.exitCode = 1;
} finally {
  await world.close();
}
