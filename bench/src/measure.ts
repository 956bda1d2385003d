import { setTimeout as sleep } from 'node:timers/promises';
import { processesCpuMs, residentBytes, threadsCpuMs } from './cpu-time.ts';
import { drive, type Load } from './load.ts';
import { median, percentile, quartiles } from './statistics.ts';
import type { Side, Work } from './work.ts';

/** What a side cost: medians of its rounds. */
export interface Cost {
  /** All that were counted. */
  requests: number;
  requestsPerSecond: number;
  cpuUsPerRequest: number;
  /** Null where the database is not a process of this run. */
  databaseCpuUsPerRequest: number | null;
  /** Of the process that sends the load; of no side's cost. */
  loadCpuUsPerRequest: number;
  p50Ms: number;
  p99Ms: number;
  /** At the end of the last round, all processes of the side together. */
  residentBytes: number;
}

/** A work at one door against its floor. */
export interface Measured {
  work: string;
  data: string | null;
  door: string;
  connections: number;
  measure: 'cpu' | 'time';
  cost: Cost;
  floorName: string;
  floor: Cost;
  /** Median of {@link ratios}. */
  ratio: number;
  /** Of each round: that of the door against the floor's beside it. */
  ratios: number[];
  limit: number | null;
}

/** How long, and under how much load, a work is measured. */
export interface Effort {
  connections: number;
  /** At least, and at most where the ratios scatter. */
  rounds: { least: number; most: number };
  /** A side's share of a round that takes longer than this has fewer requests. */
  roundMaxMs: number;
  /** The same for the first round, which is not counted. */
  warmUpMaxMs: number;
  /** No further round begins after this, once there are three; five times as long for a work that is waited for. */
  workMaxMs: number;
}

type Round = Cost;

/** A first round, this many times as long as the others, compiles and fills caches; it is not counted. */
const WARM_UP_FACTOR = 5;
const ROUNDS_MIN = 3;
/** A ratio is good enough once the middle half of its rounds lies within this share of it. */
const SCATTER_MAX = 0.1;
/** Most of the time of a work that leaves some is spent waiting for it. */
const WAITING_FACTOR = 5;
/**
 * A process that uses less CPU than this in this time has nothing left to do: longer than links-svc gathers clicks
 * before it sends them, and waits before it looks for new totals of links. What it does by the clock takes 5 to 15 ms a
 * second, new totals of a thousand links some 16 ms.
 */
const QUIET_CPU_MS = 34;
const QUIET_FOR_MS = 2_100;
const QUIET_WITHIN_MS = 6_000;

/**
 * Measures a work: every round goes over each door and the floor once, so that whatever else the machine does hits all.
 * More rounds follow while the ratios scatter.
 */
export async function measureWork(work: Work, effort: Effort): Promise<Measured[]> {
  const { connections, rounds, roundMaxMs, warmUpMaxMs, workMaxMs } = effort;
  const sides: Side[] = [...work.doors, work.floor];
  const doorRounds: Round[][] = work.doors.map(() => []);
  const floorRounds: Round[] = [];
  const figure = work.measure === 'cpu' ? 'cpuUsPerRequest' : 'p50Ms';
  const ratiosOf = (door: number) => doorRounds[door]!.map((one, round) => one[figure] / floorRounds[round]![figure]);
  const scatters = () => work.doors.some((_, door) => scatterOf(ratiosOf(door)) > SCATTER_MAX);

  const requests = Math.max(work.requestsPerRound, 2 * connections);
  const warmUp = { connections, durationMs: warmUpMaxMs, maxRequests: requests * WARM_UP_FACTOR };
  for (const side of sides) await runRound(side, work, warmUp);

  const deadline = performance.now() + workMaxMs * (work.leavesWork ? WAITING_FACTOR : 1);
  const load = { connections, durationMs: roundMaxMs, maxRequests: requests };
  const isEnough = (round: number) =>
    (round >= rounds.least && (round >= rounds.most || !scatters())) ||
    (round >= ROUNDS_MIN && performance.now() > deadline);
  for (let round = 0; !isEnough(round); round++) {
    const measured = new Map<Side, Round>();
    // There and back, so that none always follows the same one.
    for (const side of round % 2 === 0 ? sides : sides.toReversed())
      measured.set(side, await runRound(side, work, load));
    for (const [index, door] of work.doors.entries()) doorRounds[index]!.push(measured.get(door)!);
    floorRounds.push(measured.get(work.floor)!);
  }
  return work.doors.map(({ door, limit }, index) => ({
    work: work.name,
    data: work.data ?? null,
    door,
    connections,
    measure: work.measure,
    cost: costOf(doorRounds[index]!),
    floorName: work.floor.name,
    floor: costOf(floorRounds),
    ratio: median(ratiosOf(index)),
    ratios: ratiosOf(index),
    limit,
  }));
}

/** How far the middle half of the values lies apart, as a share of their median. */
function scatterOf(values: readonly number[]): number {
  const { low, high } = quartiles(values);
  return (high - low) / median(values);
}

async function runRound(side: Side, work: Work, load: Load): Promise<Round> {
  const pids = side.pids();
  const databasePids = work.databasePids();
  const cpuBefore = threadsCpuMs(pids);
  const databaseBefore = processesCpuMs(databasePids);
  const loadBefore = process.cpuUsage();
  const began = performance.now();
  const latenciesMs = await drive(side.send, load);
  const elapsedMs = performance.now() - began;
  const { user, system } = process.cpuUsage(loadBefore);
  const idleMs = work.leavesWork && side !== work.floor ? await untilQuiet(pids, QUIET_WITHIN_MS) : 0;
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
 * Waits until the processes have nothing left to do, at most so long. Gives the milliseconds of CPU that they would have
 * used meanwhile in any case: as much at any time as in the end, when they were quiet; 0 where they were not.
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
