// Measures the built system against its floors; prints tables and writes bench/results/latest.{json,svg}. `--full`
// takes longer and also measures how cost grows, `--write` puts the tables into the pages in docs, `--only PART`
// measures one part, `--profile FOLDER` writes CPU profiles of the services there. The last two write no results. Linux
// only.
import { execFileSync } from 'node:child_process';
import { cpus, loadavg, totalmem } from 'node:os';
import { resolve } from 'node:path';
import { measureWork, untilQuiet } from './measure.ts';
import { parseOptions } from './options.ts';
import { hasLimit, plan, type Stage, type Task } from './plan.ts';
import { writePages, writeResults } from './report/publish.ts';
import { type Failure, farOut, limitedResults, nameOf, type Report, type Result } from './report/report.ts';
import { growthPart, limitsPart } from './report/table.ts';
import { openWorld, type World } from './world.ts';

/** After a failure, the databases may still process requests that nobody waits for. */
const CALM_WITHIN_MS = 20_000;

const options = parseOptions(process.argv.slice(2));
const startedAt = new Date();
const loadBefore = loadavg()[0]!;
const commit = execFileSync('git', ['describe', '--always', '--dirty'], {
  cwd: import.meta.dirname,
  encoding: 'utf8',
}).trim();
const results: Result[] = [];
const failures: Failure[] = [];
let interrupted = false;

const given = {
  mongodbUrl: process.env.MONGODB_URL || undefined,
  clickhouseUrl: process.env.CLICKHOUSE_URL || undefined,
};
for (const stage of plan(options, given)) await measureStage(stage);

const report = reportSoFar();
console.log(limitsPart(report));
console.log(growthPart(report) ?? '');
if (options.write) writePages(report);
for (const result of farOut(limitedResults(report))) {
  const { endpoint, ratio, limit } = result;
  console.error(
    `${nameOf(result)} at ${endpoint}: ${ratio.toFixed(2)} times its floor, over twice the limit of ${limit}.`,
  );
  process.exitCode = 1;
}
if (failures.some(({ limited }) => limited)) process.exitCode = 1;

async function measureStage({ databases, size, tasks }: Stage): Promise<void> {
  const database = Object.values(databases).some((url) => url !== undefined) ? 'given' : 'embedded';
  console.error(
    `Starting the system on ${database} databases, with ${size.links.toLocaleString('en')} links and ${size.analyticsReplicas} of analytics-svc …`,
  );
  const { profileDir } = options;
  const profiling =
    profileDir === undefined ? {} : { NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${resolve(profileDir)}` };
  const world = await openWorld(databases, size, profiling);
  const endEarly = () => {
    interrupted = true;
    world.close().finally(() => process.exit(1));
  };
  process.once('SIGINT', endEarly).once('SIGTERM', endEarly);
  try {
    for await (const task of tasks(world)) {
      await measureTask(task, database, world);
      // After every workload, so that an interrupted run keeps its results so far.
      if (!options.only && profileDir === undefined) writeResults(reportSoFar());
    }
  } finally {
    process.off('SIGINT', endEarly).off('SIGTERM', endEarly);
    await world.close();
  }
}

async function measureTask({ work, effort, point }: Task, database: string, world: World): Promise<void> {
  const { connections } = effort;
  const name = `${nameOf({ work: work.name, data: work.data ?? null, database })}, ${connections} connections`;
  try {
    for (const measured of await measureWork(work, effort)) {
      const result = { ...measured, database, point, limit: point === null ? measured.limit : null };
      results.push(result);
      console.error(`${name}, ${result.endpoint}: ${result.ratio.toFixed(2)} × ${result.floorName}`);
    }
  } catch (error) {
    if (interrupted) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    const limited = point === null && hasLimit(work);
    const endpoints = work.endpoints.map(({ endpoint }) => endpoint);
    failures.push({
      work: work.name,
      data: work.data ?? null,
      endpoints,
      database,
      connections,
      point,
      limited,
      reason,
    });
    console.error(`${name}: not measured: ${reason}`);
    await untilQuiet(world.databasePids('mongodb', 'clickhouse'), CALM_WITHIN_MS);
  }
}

function reportSoFar(): Report {
  return {
    startedAt: startedAt.toISOString(),
    minutes: (Date.now() - startedAt.getTime()) / 60_000,
    form: options.form,
    commit,
    machine: { cpu: cpus()[0]!.model, cores: cpus().length, memoryBytes: totalmem(), node: process.versions.node },
    loadAverage: { before: loadBefore, after: loadavg()[0]! },
    results,
    failures,
  };
}
