import { mkdtempSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ApiLoad } from '../support/api-load.ts';
import { expectNoFailures } from '../support/failures.ts';
import { freePorts } from '../support/free-ports.ts';
import { keptMemoryOf, reportsKeptMemory } from '../support/kept-memory.ts';
import { type OwnStack, startOwnStack } from '../support/own-stack.ts';
import { cpuOf, memoryOf, mib } from '../support/process-figures.ts';
import { RedirectLoad, roundRobin } from '../support/redirect-load.ts';
import { eventually } from '../support/world.ts';

// Under mixed load on every service, memory stays flat, the event loop stays responsive, no request fails and every
// click is counted. The load is about 100 requests per second. For a long run, set ENDURANCE_SECONDS=1800.

const SECONDS = Number(process.env.ENDURANCE_SECONDS ?? 30);
/** Shorter runs include the warm-up of the services, so their times are not meaningful. */
const IS_LONG = SECONDS >= 600;
/** Maximum growth, in bytes, of the memory in use after a garbage collection. Growth beyond it suggests a leak. */
const KEPT_GROWTH_MAX = (IS_LONG ? 8 : 24) * 1024 ** 2;
/** Maximum growth, in bytes, of the process memory. In a short run most of it is garbage not collected yet. */
const MEMORY_GROWTH_MAX = (IS_LONG ? 24 : 96) * 1024 ** 2;
const EVENT_LOOP_P99_MAX_SECONDS = 0.05;
const SAMPLE_EVERY_MS = 1_000;
const SERVICES = ['gateway', 'links-svc', 'analytics-svc', 'mcp-svc'] as const;
type Service = (typeof SERVICES)[number];
const SLUGS = Array.from({ length: 50 }, (_, n) => `enduring-${n}`);

let own: OwnStack;
let linkId: string;
let metricsPorts: Record<Service, number>;
const notes = mkdtempSync(join(tmpdir(), 'waymark-kept-'));
const noteOf = (name: Service) => join(notes, name);
beforeAll(async () => {
  const ports = await freePorts(SERVICES.length);
  metricsPorts = Object.fromEntries(SERVICES.map((name, n) => [name, ports[n]!])) as typeof metricsPorts;
  own = await startOwnStack({
    serviceEnv: Object.fromEntries(
      SERVICES.map((name) => [name, { METRICS_PORT: String(metricsPorts[name]), ...reportsKeptMemory(noteOf(name)) }]),
    ),
  });
  linkId = (await own.createLinks(SLUGS))[0]!.id;
});
afterAll(async () => {
  await own?.close();
  rmSync(notes, { recursive: true });
});

const pidOf = (name: Service) => own.stack.processes[name]!.pid!;
const median = (values: number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;

function startLoad() {
  const nextOrigin = roundRobin(own.stack.urls.gateway);
  const { key, publicKey } = own;
  return {
    visitors: new RedirectLoad({ nextOrigin, slugs: SLUGS, perSecond: 65, sources: 100 }),
    clients: new ApiLoad({ nextOrigin, linkId, key, publicKey, perSecond: 15 }),
  };
}

/** Returns the 99th percentile of the event loop delay, in seconds, since the previous call. */
async function eventLoopP99(name: Service): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${metricsPorts[name]}/metrics`)).text();
  return Number(/^nodejs_eventloop_lag_p99_seconds\{[^}]*\} (\S+)$/m.exec(text)![1]);
}

/** The measurements of one third of the run. */
interface Third {
  requests: number;
  /** Memory of each process in bytes, sampled every second under load. */
  memory: Record<Service, number[]>;
  /** Memory of each process in bytes, after the load has stopped and all garbage is collected. */
  kept: Record<Service, number>;
  /** 99th percentile of the event loop delay, in seconds. */
  p99: Record<Service, number>;
  cpu: Record<Service, ReturnType<typeof cpuOf>>;
}

async function ofEach<T>(tell: (name: Service) => T | Promise<T>): Promise<Record<Service, T>> {
  const answers: Partial<Record<Service, T>> = {};
  for (const name of SERVICES) answers[name] = await tell(name);
  return answers as Record<Service, T>;
}

/** All redirects so far, also those of a run that failed and is repeated. */
let redirects = 0;

/** Runs the load for a third of the time and measures the services. Fails if any request fails. */
async function underLoad(loads: number[]): Promise<Third> {
  await ofEach(eventLoopP99);
  const cpuBefore = await ofEach((name) => cpuOf(pidOf(name)));
  const memory: Third['memory'] = { gateway: [], 'links-svc': [], 'analytics-svc': [], 'mcp-svc': [] };
  const { visitors, clients } = startLoad();
  const endsAt = performance.now() + (SECONDS * 1_000) / 3;
  while (performance.now() < endsAt) {
    await sleep(SAMPLE_EVERY_MS);
    loads.push(loadavg()[0]!);
    for (const name of SERVICES) memory[name].push(memoryOf(pidOf(name)));
  }
  const p99 = await ofEach(eventLoopP99);
  const cpu = await ofEach((name) => {
    const { ran, waited } = cpuOf(pidOf(name));
    return { ran: ran - cpuBefore[name].ran, waited: waited - cpuBefore[name].waited };
  });
  await Promise.all([visitors.stop(), clients.stop()]);
  redirects += visitors.redirects;
  expectNoFailures(clients.failures, own.stack);
  expectNoFailures(visitors.others, own.stack);
  const kept = await ofEach((name) => keptMemoryOf(pidOf(name), noteOf(name)));
  return { requests: clients.answered, memory, kept, p99, cpu };
}

test(
  `${SECONDS} seconds of redirects, REST and MCP`,
  async () => {
    const loads: number[] = [];
    const thirds: Third[] = [];
    for (let third = 0; third < 3; third += 1) thirds.push(await underLoad(loads));

    // The first third is the warm-up of compilers, caches and pools.
    const [first, second, last] = thirds as [Third, Third, Third];
    const figures = SERVICES.map((name) => ({
      name,
      keptGrowth: last.kept[name] - first.kept[name],
      memoryGrowth: median(last.memory[name]) - median(second.memory[name]),
      p99: Math.max(second.p99[name], last.p99[name]),
    }));
    const requests = thirds.reduce((sum, third) => sum + third.requests, 0);
    console.log(
      `${redirects} redirects, ${requests} requests; the machine's load: median ${median(loads)}, most ${Math.max(...loads)}`,
    );
    console.table(
      figures.map(({ name, p99 }) => ({
        service: name,
        'kept after each third, MiB': thirds.map(({ kept }) => mib(kept[name])).join(', '),
        'memory in each': thirds.map(({ memory }) => mib(median(memory[name]))).join(', '),
        'at most': mib(Math.max(...thirds.flatMap(({ memory }) => memory[name]))),
        'event-loop p99, ms': Math.round(p99 * 1_000),
        'CPU s': Math.round(second.cpu[name].ran + last.cpu[name].ran),
        'waited for a CPU, s': Math.round(second.cpu[name].waited + last.cpu[name].waited),
      })),
    );

    await eventually(async () => expect((await own.analytics()).clicks).toBe(redirects));
    expect(figures.filter(({ keptGrowth }) => keptGrowth > KEPT_GROWTH_MAX)).toEqual([]);
    expect(figures.filter(({ memoryGrowth }) => memoryGrowth > MEMORY_GROWTH_MAX)).toEqual([]);
    if (IS_LONG) expect(figures.filter(({ p99 }) => p99 > EVENT_LOOP_P99_MAX_SECONDS)).toEqual([]);
  },
  SECONDS * 1_000 + 120_000,
);
