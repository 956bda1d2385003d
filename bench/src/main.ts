// Measures the built system against its floors; writes bench/results/latest.{json,svg}. `--full` takes longer and looks
// at more, `--only GROUP` measures one group of works; `--profile FOLDER` leaves CPU profiles of the services there. Neither writes
// results. Linux only.
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, totalmem } from 'node:os';
import { join, resolve } from 'node:path';
import { measureWork, type Result } from './measure.ts';
import { parseOptions, WORK_GROUPS, type WorkGroup } from './options.ts';
import { chartOf } from './report/chart.ts';
import { type Failure, farOut, type Report } from './report/report.ts';
import { tableOf } from './report/table.ts';
import type { Work } from './work.ts';
import { analyticsWork } from './works/analytics.ts';
import { ingestionWork } from './works/ingestion.ts';
import { linksWorks } from './works/links.ts';
import { mcpWork } from './works/mcp.ts';
import { redirectWork } from './works/redirects.ts';
import { sustainedLines, sustainIngestion } from './works/sustained-ingestion.ts';
import { type Databases, openWorld, type World } from './world.ts';

const RESULTS = join(import.meta.dirname, '../results');
const EMBEDDED: Databases = { mongodbUrl: undefined, clickhouseUrl: undefined };

const options = parseOptions(process.argv.slice(2));
const startedAt = new Date().toISOString();
const loadBefore = loadavg()[0]!;
const commit = execFileSync('git', ['describe', '--always', '--dirty'], {
  cwd: import.meta.dirname,
  encoding: 'utf8',
}).trim();
const results: Result[] = [];
const failures: Failure[] = [];
let interrupted = false;

const groups = options.only === undefined ? WORK_GROUPS : [options.only];
const given = {
  mongodbUrl: process.env.MONGODB_URL || undefined,
  clickhouseUrl: process.env.CLICKHOUSE_URL || undefined,
};
const touchGiven: readonly WorkGroup[] = [
  ...(given.mongodbUrl ? (['links'] as const) : []),
  ...(given.clickhouseUrl ? (['ingestion', 'analytics'] as const) : []),
];
const onGiven = groups.filter((group) => touchGiven.includes(group));
if (onGiven.length > 0) await measureOn('given', given, onGiven);
await measureOn('embedded', EMBEDDED, groups);

console.log(tableOf(reportSoFar()));
for (const { work, door, ratio, limit } of farOut(results)) {
  console.error(`${work} at ${door}: ${ratio.toFixed(2)} times its floor, over twice the limit of ${limit}.`);
  process.exitCode = 1;
}
if (failures.some(({ limited }) => limited)) process.exitCode = 1;

async function measureOn(name: string, databases: Databases, names: readonly WorkGroup[]): Promise<void> {
  console.error(`Starting the system on ${name} databases, with ${options.links.toLocaleString('en')} links …`);
  const { profileDir } = options;
  const profiling =
    profileDir === undefined ? {} : { NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${resolve(profileDir)}` };
  const world = await openWorld(databases, options.links, profiling);
  const endEarly = () => {
    interrupted = true;
    world.close().finally(() => process.exit(1));
  };
  process.once('SIGINT', endEarly).once('SIGTERM', endEarly);
  try {
    for (const group of names) {
      for await (const work of worksOf(group, world)) {
        await measure(work, name);
        writeResults();
      }
      if (group === 'ingestion' && options.form === 'full') console.log(sustainedLines(await sustainIngestion(world)));
    }
  } finally {
    process.off('SIGINT', endEarly).off('SIGTERM', endEarly);
    await world.close();
  }
}

/** The works of a group, each made only once the one before it was measured. */
async function* worksOf(group: WorkGroup, world: World): AsyncGenerator<Work> {
  if (group === 'links') yield* await linksWorks(world);
  if (group === 'redirects') yield await redirectWork(world);
  if (group === 'mcp') yield await mcpWork(world);
  if (group === 'ingestion') yield await ingestionWork(world);
  if (group === 'analytics') for (const clicks of options.clicks) yield await analyticsWork(world, clicks);
}

async function measure(work: Work, database: string): Promise<void> {
  const counts = new Set(options.connections.map((count) => Math.min(count, work.connectionsMax ?? count)));
  for (const connections of counts) {
    let measured: Result[];
    try {
      measured = await measureWork(work, database, options.rounds, { connections, factor: options.factor });
    } catch (error) {
      if (interrupted) throw error;
      const reason = error instanceof Error ? error.message : String(error);
      const limited = work.doors.some(({ limit }) => limit !== null);
      failures.push({ work: work.name, database, limited, reason });
      console.error(`${work.name}, ${connections} connections: not measured: ${reason}`);
      continue;
    }
    for (const result of measured) {
      results.push(result);
      console.error(
        `${work.name}, ${result.door}, ${connections} connections: ${result.ratio.toFixed(2)} × ${result.floorName}`,
      );
    }
  }
}

function reportSoFar(): Report {
  return {
    startedAt,
    form: options.form,
    commit,
    machine: { cpu: cpus()[0]!.model, cores: cpus().length, memoryBytes: totalmem(), node: process.versions.node },
    loadAverage: { before: loadBefore, after: loadavg()[0]! },
    rounds: options.rounds,
    factor: options.factor,
    results,
    failures,
  };
}

/** After every work, so that a run that is ended early leaves what it has measured. */
function writeResults(): void {
  if (options.only !== undefined || options.profileDir !== undefined) return;
  const report = reportSoFar();
  mkdirSync(RESULTS, { recursive: true });
  writeFileSync(join(RESULTS, 'latest.json'), `${JSON.stringify(report, null, 2)}\n`);
  writeFileSync(join(RESULTS, 'latest.svg'), chartOf(report));
}
