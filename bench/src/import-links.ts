// Imports CSV files of links with the admin command into a running stack, twice, edits them with a job, and exports them
// to a slow reader.
// Prints times, rows a second and the most memory of each process. `MONGODB_URL` selects a database; without it, the
// embedded one is used. `--links N` instead of 10,000 and 100,000. Linux only.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { Job } from '@waymark/contract';
import { processMemory } from './memory/process-memory.ts';
import { openWorld, type World } from './world.ts';

const ADMIN = join(import.meta.dirname, '../../apps/admin/dist/main.js');
const SAMPLE_MS = 1_000;
/** A link with the hashtag `rare` for every this many links. */
const RARE_EVERY = 20_000;
/** The account of a world. */
const USERNAME = 'bench';
/** The pauses of the slow reader between chunks. */
const READ_PAUSE_MS = 50;

const { values } = parseArgs({
  args: process.argv.slice(2).filter((arg) => arg !== '--'),
  options: { links: { type: 'string', multiple: true, default: ['10000', '100000'] } },
});

for (const links of values.links.map(Number)) {
  const world = await openWorld(
    { mongodbUrl: process.env.MONGODB_URL || undefined, clickhouseUrl: process.env.CLICKHOUSE_URL || undefined },
    { links: 0, analyticsReplicas: 1 },
  );
  try {
    const file = join(world.folder, 'links.csv');
    await pipeline(Readable.from(csvOf(links)), createWriteStream(file));
    for (const [name, created] of Object.entries({ 'first import': links, 'second import': 0 })) {
      const startedMs = performance.now();
      const totals = await measured(`${links} links, ${name}`, world, () => importFile(world, file));
      console.log(`  ${Math.round((1_000 * links) / (performance.now() - startedMs))} rows a second`);
      if (totals.created !== created || totals.existing !== links - created) throw new Error(JSON.stringify(totals));
    }
    for (const [name, change] of Object.entries({
      edit: { add_hashtags: ['edited'] },
      'edit again': { add_hashtags: ['edited'] },
    })) {
      const job = await measured(`${links} links, ${name}`, world, () => editAll(world, change));
      if (job.state !== 'done' || job.done !== links) throw new Error(JSON.stringify(job));
    }
    for (const [query, expected] of Object.entries({ '': links, '?hashtag=rare': Math.ceil(links / RARE_EVERY) })) {
      const { lines, longestMs } = await measured(`${links} links, export${query}`, world, () =>
        exportSlowly(world, query),
      );
      if (lines !== expected) throw new Error(`${lines} lines instead of ${expected}`);
      console.log(`  longest wait for a chunk: ${(longestMs / 1_000).toFixed(2)} s`);
    }
  } finally {
    await world.close();
  }
}

function* csvOf(links: number): Generator<string> {
  yield 'slug,destination_url,title,hashtags,created_at\n';
  for (let i = 0; i < links; i++) {
    const time = new Date(Date.UTC(2024, 0, 1) + i * 60_000).toISOString();
    const hashtags = i % RARE_EVERY === 0 ? 'rare' : 'summer;sale';
    yield `import-${i},https://example.com/summer/offers?item=${i},Summer ${i},${hashtags},${time}\n`;
  }
}

/** Runs the work, samples the memory of the processes meanwhile, and prints both. */
async function measured<Result>(
  name: string,
  world: World,
  work: () => Running<Result> | Promise<Result>,
): Promise<Result> {
  const peaks = new Map<string, number>();
  const started = performance.now();
  const running = work();
  const { result, pid } = running instanceof Promise ? { result: running, pid: undefined } : running;
  let isRunning = true;
  const ended = result.finally(() => {
    isRunning = false;
  });
  // A failure is thrown by the last line.
  ended.catch(() => {});
  while (isRunning) {
    const pids = { admin: pid, 'links-svc': world.pidsOf('links-svc')[0], gateway: world.pidsOf('gateway')[0] };
    for (const [process, id] of Object.entries(pids)) {
      if (id !== undefined) peaks.set(process, Math.max(peaks.get(process) ?? 0, residentMib(id)));
    }
    await Promise.race([sleep(SAMPLE_MS), ended.catch(() => {})]);
  }
  const seconds = (performance.now() - started) / 1_000;
  const memory = [...peaks].map(([process, mib]) => `${process} ${mib.toFixed(0)} MiB`).join(', ');
  console.log(`${name}: ${seconds.toFixed(1)} s; at most ${memory}`);
  return ended;
}

/** Returns 0 for a process that has just ended. */
function residentMib(pid: number): number {
  try {
    return processMemory(pid).resident / 1_024 ** 2;
  } catch {
    return 0;
  }
}

interface Running<Result> {
  pid: number | undefined;
  result: Promise<Result>;
}

function importFile({ stack }: World, file: string): Running<{ created: number; existing: number }> {
  const args = ['links', 'import', '--username', USERNAME, '--file', file, '--json'];
  const admin = spawn(process.execPath, [ADMIN, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { LINKS_GRPC: stack.urls.linksGrpc, SIGNING_KEY: stack.signingKey },
  });
  let out = '';
  admin.stdout.on('data', (chunk) => {
    out += chunk;
  });
  return { pid: admin.pid, result: once(admin, 'close').then(() => JSON.parse(out.trimEnd().split('\n').at(-1)!)) };
}

/** Edits all links with a job, and returns it once it is over. */
async function editAll({ stack, keyHeaders }: World, change: object): Promise<Job> {
  const jobs = `${stack.urls.gateway}/api/v1/jobs`;
  const headers = { ...keyHeaders, 'content-type': 'application/json' };
  const body = JSON.stringify({ kind: 'edit', filter: { all: true }, change });
  let job = (await (await fetch(jobs, { method: 'POST', headers, body })).json()) as Job;
  while (job.finished_at === null) {
    await sleep(SAMPLE_MS);
    job = (await (await fetch(`${jobs}/${job.id}`, { headers: keyHeaders })).json()) as Job;
  }
  return job;
}

async function exportSlowly(
  { stack, keyHeaders: headers }: World,
  query: string,
): Promise<{ lines: number; longestMs: number }> {
  let waitingSince = performance.now();
  const response = await fetch(`${stack.urls.gateway}/api/v1/links/export${query}`, { headers });
  let lines = 0;
  let longestMs = 0;
  for await (const chunk of response.body!) {
    longestMs = Math.max(longestMs, performance.now() - waitingSince);
    for (const byte of chunk) if (byte === 10) lines += 1;
    await sleep(READ_PAUSE_MS);
    waitingSince = performance.now();
  }
  return { lines, longestMs };
}
