import { setTimeout as sleep } from 'node:timers/promises';
import { processesCpuMs, residentBytes, threadsCpuMs } from './cpu-time.ts';
import { drive, type Load } from './load.ts';
import { median, percentile, quartiles } from './statistics.ts';
import type { Side, Work } from './work.ts';

/** The cost of one side: medians over its rounds. */
export interface Cost {
  /** Total of all counted rounds. */
  requests: number;
  requestsPerSecond: number;
  cpuUsPerRequest: number;
  /** Null if the database is not a process of this run. */
  databaseCpuUsPerRequest: number | null;
  /** CPU time of the process that sends the load; not part of any side's cost. */
  loadCpuUsPerRequest: number;
  p50Ms: number;
  p99Ms: number;
  /** Of all processes of the side, at the end of the last round. */
  residentBytes: number;
}

/** A workload measured at one entry point, against its floor. */
export interface Measured {
  work: string;
  data: string | null;
  endpoint: string;
  connections: number;
  measure: 'cpu' | 'time';
  cost: Cost;
  floorName: string;
  floor: Cost;
  /** The median of {@link ratios}. */
  ratio: number;
  /** For each round, the figure of the entry point divided by the floor's in the same round. */
  ratios: number[];
  limit: number | null;
}

/** How long a workload is measured, and under how much load. */
export interface Effort {
  connections: number;
  /** The minimum, and the maximum if the ratios scatter. */
  rounds: { least: number; most: number };
  /** A side sends fewer requests in a round that would take longer than this. */
  roundMaxMs: number;
  /** The same for the warm-up round, which is not counted. */
  warmUpMaxMs: number;
  /**
   * No further round starts after this time once there are three; five times as long if a side has `leavesWork`.
   */
  workMaxMs: number;
}

type Round = Cost;

/** Length of the uncounted warm-up round relative to the others; it compiles code and fills caches. */
export const WARM_UP_FACTOR = 20;
const ROUNDS_MIN = 3;
/** A ratio is good enough when the interquartile range of its rounds is within this share of it. */
const SCATTER_MAX = 0.1;
/** A side with `leavesWork` spends most of its time waiting for that work to finish. */
const WAITING_FACTOR = 5;
/**
 * A process is quiet if it uses less CPU than this in this time. The time is longer than links-svc collects clicks
 * before it sends them and waits before it reads new link totals. The CPU limit is above what its periodic tasks use.
 */
const QUIET_CPU_MS = 34;
const QUIET_FOR_MS = 2_100;
const QUIET_WITHIN_MS = 6_000;

/**
 * Measures a workload. Every round runs each entry point and the floor once, so that other load on the machine affects
 * all of them. Adds rounds while the ratios scatter.
 */
export async function measureWork(work: Work, effort: Effort): Promise<Measured[]> {
  const { connections, rounds, roundMaxMs, warmUpMaxMs, workMaxMs } = effort;
  const sides: Side[] = [...work.endpoints, work.floor];
  const endpointRounds: Round[][] = work.endpoints.map(() => []);
  const floorRounds: Round[] = [];
  const figure = work.measure === 'cpu' ? 'cpuUsPerRequest' : 'p50Ms';
  const ratiosOf = (endpoint: number) =>
    endpointRounds[endpoint]!.map((one, round) => one[figure] / floorRounds[round]![figure]);
  const scatters = () => work.endpoints.some((_, endpoint) => scatterOf(ratiosOf(endpoint)) > SCATTER_MAX);

  const requests = Math.max(work.requestsPerRound, 2 * connections);
  const warmUp = { connections, durationMs: warmUpMaxMs, maxRequests: requests * WARM_UP_FACTOR };
  for (const side of sides) await runRound(side, work, warmUp);

  const deadline = performance.now() + workMaxMs * (sides.some(({ leavesWork }) => leavesWork) ? WAITING_FACTOR : 1);
  const load = { connections, durationMs: roundMaxMs, maxRequests: requests };
  const isEnough = (round: number) =>
    (round >= rounds.least && (round >= rounds.most || !scatters())) ||
    (round >= ROUNDS_MIN && performance.now() > deadline);
  for (let round = 0; !isEnough(round); round++) {
    const measured = new Map<Side, Round>();
    // Reverses the order every other round, so that no side always follows the same one.
    for (const side of round % 2 === 0 ? sides : sides.toReversed())
      measured.set(side, await runRound(side, work, load));
    for (const [index, endpoint] of work.endpoints.entries()) endpointRounds[index]!.push(measured.get(endpoint)!);
    floorRounds.push(measured.get(work.floor)!);
  }
  return work.endpoints.map(({ endpoint, limit }, index) => ({
    work: work.name,
    data: work.data ?? null,
    endpoint,
    connections,
    measure: work.measure,
    cost: costOf(endpointRounds[index]!),
    floorName: work.floor.name,
    floor: costOf(floorRounds),
    ratio: median(ratiosOf(index)),
    ratios: ratiosOf(index),
    limit,
  }));
}

/** Returns the interquartile range of the values as a share of their median. */
function scatterOf(values: readonly number[]): number {
  const { low, high } = quartiles(values);
  return (high - low) / median(values);
}

async function runRound(side: Side, work: Work, load: Load): Promise<Round> {
  const pids = side.pids();
  const databasePids = (side.databasePids ?? work.databasePids)();
  const cpuBefore = threadsCpuMs(pids);
  const databaseBefore = processesCpuMs(databasePids);
  const loadBefore = process.cpuUsage();
  const began = performance.now();
  const latenciesMs = await drive(side.send, load);
  const elapsedMs = performance.now() - began;
  const { user, system } = process.cpuUsage(loadBefore);
  const idleMs = side.leavesWork ? await untilQuiet(pids, QUIET_WITHIN_MS) : 0;
  const requests = latenciesMs.length;
  return {
    requests,
    requestsPerSecond: (requests * 1_000) / elapsedMs,
    cpuUsPerRequest: ((threadsCpuMs(pids) - cpuBefore - idleMs) * 1_000) / requests,
    databaseCpuUsPerRequest:
      databasePids.length === 0 ? null : ((processesCpuMs(databasePids) - databaseBefore) * 1_000) / requests,
    loadCpuUsPerRequest: (user + system) / requests,
    p50Ms: percentile(latenciesMs, 0.5),
    p99Ms: percentile(latenciesMs, 0.99),
    residentBytes: residentBytes(pids),
  };
}

/**
 * Waits until the processes are quiet, at most `withinMs`. Returns the milliseconds of CPU that their periodic tasks
 * used meanwhile, extrapolated from the quiet period at the end; 0 if they did not become quiet.
 */
export async function untilQuiet(pids: readonly number[], withinMs: number): Promise<number> {
  const began = performance.now();
  for (let before = threadsCpuMs(pids); performance.now() - began < withinMs; ) {
    const lookedAt = performance.now();
    await sleep(QUIET_FOR_MS);
    const now = threadsCpuMs(pids);
    const usedMs = now - before;
    const ended = performance.now();
    if (usedMs < QUIET_CPU_MS * pids.length) return (usedMs * (ended - began)) / (ended - lookedAt);
    before = now;
  }
  return 0;
}

function costOf(rounds: readonly Round[]): Cost {
  const of = (figure: Exclude<keyof Round, 'databaseCpuUsPerRequest'>) => median(rounds.map((round) => round[figure]));
  const database = rounds.flatMap(({ databaseCpuUsPerRequest: us }) => us ?? []);
  return {
    requests: rounds.reduce((sum, { requests }) => sum + requests, 0),
    requestsPerSecond: of('requestsPerSecond'),
    cpuUsPerRequest: of('cpuUsPerRequest'),
    databaseCpuUsPerRequest: database.length === 0 ? null : median(database),
    loadCpuUsPerRequest: of('loadCpuUsPerRequest'),
    p50Ms: of('p50Ms'),
    p99Ms: of('p99Ms'),
    residentBytes: rounds.at(-1)!.residentBytes,
  };
}
