import { mkdtempSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ApiLoad } from './support/api-load.ts';
import { freePorts } from './support/free-ports.ts';
import { keptMemoryOf, tellsKeptMemory } from './support/kept-memory.ts';
import { type OwnStack, startOwnStack } from './support/own-stack.ts';
import { cpuOf, memoryOf, mib } from './support/process-figures.ts';
import { inTurn, RedirectLoad } from './support/redirect-load.ts';
import { eventually } from './support/world.ts';

// Mixed load on every service: memory stays flat, the event loop is free, nothing fails and every click is counted.
//
// A short form runs by itself. The long one: ENDURANCE_SECONDS=1800, about 100 requests a second.

const SECONDS = Number(process.env.ENDURANCE_SECONDS ?? 60);
/** Below this the services still warm up, and times mean nothing. */
const IS_LONG = SECONDS >= 600;
/** Of what is kept when all garbage is collected. What a service leaks, it leaks with each of 30 requests a second and more. */
const KEPT_GROWTH_MAX = (IS_LONG ? 8 : 24) * 1024 ** 2;
/** Of the memory that the process has: in a short run the runtime's own leisure in collecting garbage is most of it. */
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
      SERVICES.map((name) => [name, { METRICS_PORT: String(metricsPorts[name]), ...tellsKeptMemory(noteOf(name)) }]),
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
  const nextOrigin = inTurn(own.stack.urls.gateway);
  const { key, publicKey } = own;
  return {
    visitors: new RedirectLoad({ nextOrigin, slugs: SLUGS, perSecond: 65, sources: 100 }),
    clients: new ApiLoad({ nextOrigin, linkId, key, publicKey, perSecond: 30 }),
  };
}

/** The 99th percentile, in seconds, since this was asked for the last time. */
async function eventLoopP99(name: Service): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${metricsPorts[name]}/metrics`)).text();
  return Number(/^nodejs_eventloop_lag_p99_seconds\{[^}]*\} (\S+)$/m.exec(text)![1]);
}

test(
  `${SECONDS} seconds of redirects, REST and MCP`,
  async () => {
    let load = startLoad();
    let redirects = 0;
    let requests = 0;
    /** Ends the load, which must have had no failure, and gives what each service keeps when nothing is under way. */
    const endLoad = async () => {
      await Promise.all([load.visitors.stop(), load.clients.stop()]);
      redirects += load.visitors.redirects;
      requests += load.clients.answered;
      expect(Object.fromEntries(load.clients.failures)).toEqual({});
      expect(Object.fromEntries(load.visitors.others)).toEqual({});
      const kept = new Map<Service, number>();
      for (const name of SERVICES) kept.set(name, await keptMemoryOf(pidOf(name), noteOf(name)));
      return kept;
    };
    const memory: Record<Service, number[]> = { gateway: [], 'links-svc': [], 'analytics-svc': [], 'mcp-svc': [] };
    const loads: number[] = [];
    // The first third warms up: compilers, caches, pools.
    const endsAt = performance.now() + SECONDS * 1_000;
    const warmAt = performance.now() + (SECONDS * 1_000) / 3;
    const cpuBefore = new Map<Service, ReturnType<typeof cpuOf>>();
    let keptBefore: Map<Service, number> | undefined;
    while (performance.now() < endsAt) {
      await sleep(SAMPLE_EVERY_MS);
      loads.push(loadavg()[0]!);
      for (const name of SERVICES) memory[name].push(memoryOf(pidOf(name)));
      if (keptBefore !== undefined || performance.now() < warmAt) continue;
      keptBefore = await endLoad();
      load = startLoad();
      for (const name of SERVICES) {
        cpuBefore.set(name, cpuOf(pidOf(name)));
        await eventLoopP99(name);
      }
    }
    const p99 = new Map<Service, number>();
    for (const name of SERVICES) p99.set(name, await eventLoopP99(name));
    const cpu = new Map(SERVICES.map((name) => [name, cpuOf(pidOf(name))]));
    const kept = await endLoad();

    const third = Math.floor(loads.length / 3);
    const figures = SERVICES.map((name) => {
      const [middle, last] = [median(memory[name].slice(third, 2 * third)), median(memory[name].slice(-third))];
      const { ran, waited } = cpu.get(name)!;
      const before = cpuBefore.get(name)!;
      return {
        name,
        keptBefore: keptBefore!.get(name)!,
        kept: kept.get(name)!,
        middle,
        last,
        max: Math.max(...memory[name]),
        ran: ran - before.ran,
        waited: waited - before.waited,
      };
    });
    console.log(
      `${redirects} redirects, ${requests} requests; the machine's load: median ${median(loads)}, most ${Math.max(...loads)}`,
    );
    console.table(
      figures.map(({ name, keptBefore, kept, middle, last, max, ran, waited }) => ({
        service: name,
        'kept after the first third, MiB': mib(keptBefore),
        'at the end': mib(kept),
        'memory in the second third, MiB': mib(middle),
        'in the last': mib(last),
        'at most': mib(max),
        'event-loop p99, ms': Math.round(p99.get(name)! * 1_000),
        'CPU s': Math.round(ran),
        'waited for a CPU, s': Math.round(waited),
      })),
    );

    const tenth = Math.max(1, Math.floor(loads.length / 10));
    for (const name of SERVICES)
      console.log(`${name}, MiB:`, ...memory[name].filter((_, n) => n % tenth === tenth - 1).map(mib));

    await eventually(async () => expect((await own.analytics()).clicks).toBe(redirects));
    expect(figures.filter(({ keptBefore, kept }) => kept - keptBefore > KEPT_GROWTH_MAX)).toEqual([]);
    expect(figures.filter(({ middle, last }) => last - middle > MEMORY_GROWTH_MAX)).toEqual([]);
    if (IS_LONG) expect([...p99].filter(([, seconds]) => seconds > EVENT_LOOP_P99_MAX_SECONDS)).toEqual([]);
  },
  SECONDS * 1_000 + 120_000,
);
