// Measures the built system against its floors; prints a table and writes bench/results/latest.json. `--write` puts the
// table into docs/performance.md, `--only PART` measures one part, `--links N` changes the number of links, `--against
// FOLDER` measures the build of another checkout in place of the floors, `--profile FOLDER` writes CPU profiles of the
// services there. The last four write no results. Linux only.
import { cpus, loadavg, totalmem } from 'node:os';
import { resolve } from 'node:path';
import { commitOf, ROOT } from './checkout.ts';
import { type Effort, measureWork, untilQuiet } from './measure.ts';
import { type Part, parseOptions } from './options.ts';
import { writePage, writeResults } from './report/publish.ts';
import { type Failure, farOut, nameOf, type Report } from './report/report.ts';
import { resultsPart } from './report/table.ts';
import type { Work } from './work.ts';
import { compared, worksOf } from './works.ts';
import { openWorld, type World } from './world.ts';

const CONNECTIONS = 16;
/** Bounded so that a run of all works takes only minutes on two idle cores. */
const EFFORT = { rounds: { least: 7, most: 15 }, roundMaxMs: 2_500, warmUpMaxMs: 4_000, workMaxMs: 18_000 };
/** After a failure, the databases may still process requests that nobody waits for. */
const CALM_WITHIN_MS = 20_000;

const options = parseOptions(process.argv.slice(2));
const against = options.against === undefined ? null : resolve(options.against);
const startedAt = new Date();
const commit = commitOf(ROOT);
const loadBefore = loadavg()[0]!;
const databases = {
  mongodbUrl: process.env.MONGODB_URL || undefined,
  clickhouseUrl: process.env.CLICKHOUSE_URL || undefined,
};
const results: Report['results'] = [];
const failures: Failure[] = [];
const worlds: World[] = [];
const closeWorlds = () => Promise.all(worlds.splice(0).map((world) => world.close()));
const endEarly = () => void closeWorlds().finally(() => process.exit(1));
process.once('SIGINT', endEarly).once('SIGTERM', endEarly);
try {
  for (const checkout of [ROOT, ...(against === null ? [] : [against])]) worlds.push(await open(checkout));
  for (const part of options.parts) await measurePart(part);
} finally {
  await closeWorlds();
}

const report = reportSoFar();
console.log(resultsPart(report));
if (options.write) writePage(report);
for (const result of farOut(results)) {
  const { endpoint, ratio, limit } = result;
  console.error(
    `${nameOf(result)} at ${endpoint}: ${ratio.toFixed(2)} times its floor, over twice the limit of ${limit}.`,
  );
}
if (farOut(results).length > 0 || failures.some(({ limited }) => limited)) process.exitCode = 1;

function open(checkout: string): Promise<World> {
  console.error(`Starting the system of ${commitOf(checkout)}, with ${options.links.toLocaleString('en')} links …`);
  const { profileDir, links } = options;
  const profiling =
    profileDir === undefined ? {} : { NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${resolve(profileDir)}` };
  return openWorld({ checkout, databases, links, env: profiling });
}

async function measurePart(part: Part): Promise<void> {
  const [ours, theirs] = await Promise.all(worlds.map((world) => worksOf(part, world)));
  const works = theirs === undefined ? ours! : compared(ours!, theirs, commitOf(against!));
  for (const work of works) {
    await measure(work);
    // After every work, so that an interrupted run keeps its results so far.
    if (options.isWhole) writeResults(reportSoFar());
  }
}

async function measure(work: Work): Promise<void> {
  const effort: Effort = { connections: Math.min(CONNECTIONS, work.connectionsMax ?? CONNECTIONS), ...EFFORT };
  try {
    for (const result of await measureWork(work, effort)) {
      results.push(result);
      console.error(`${nameOf(result)}, ${result.endpoint}: ${result.ratio.toFixed(2)} × ${result.floorName}`);
    }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const limited = work.endpoints.some(({ limit }) => limit !== null);
    failures.push({ work: work.name, data: work.data ?? null, limited, reason });
    console.error(`${work.name}: not measured: ${reason}`);
    for (const world of worlds) await untilQuiet(world.databasePids('mongodb', 'clickhouse'), CALM_WITHIN_MS);
  }
}

function reportSoFar(): Report {
  return {
    startedAt: startedAt.toISOString(),
    minutes: (Date.now() - startedAt.getTime()) / 60_000,
    commit,
    databases: Object.values(databases).some((url) => url !== undefined) ? 'given' : 'embedded',
    machine: { cpu: cpus()[0]!.model, cores: cpus().length, memoryBytes: totalmem(), node: process.versions.node },
    loadAverage: { before: loadBefore, after: loadavg()[0]! },
    results,
    failures,
  };
}
