import { setTimeout as sleep } from 'node:timers/promises';
import { processesCpuMs, residentBytes, threadsCpuMs } from './cpu-time.ts';
import { drive, type Load } from './load.ts';
import { median, percentile } from './statistics.ts';
import type { Side, Work } from './work.ts';

/** What a side cost: medians of its rounds. */
export interface Cost {
  requests: number;
  cpuUsPerRequest: number;
  /** Null where the database is not a process of this run. */
  databaseCpuUsPerRequest: number | null;
  p50Ms: number;
  p99Ms: number;
  /** At the end of the last round, all processes of the side together. */
  residentBytes: number;
}

/** A work at one door against its floor. */
export interface Result {
  work: string;
  door: string;
  database: string;
  connections: number;
  measure: 'cpu' | 'time';
  cost: Cost;
  floorName: string;
  floor: Cost;
  /** Median of the rounds' ratios: each round of the door against the floor's round right after it. */
  ratio: number;
  limit: number | null;
}

type Round = Cost;

/** A round that takes longer than this has fewer requests. */
const ROUND_MAX_MS = 15_000;
/** A first round, this many times as long as the others, compiles and fills caches; it is not counted. */
const WARM_UP_FACTOR = 2;
/**
 * A process that uses less CPU than this in this time has nothing left to do: longer than links-svc gathers clicks
 * before it sends them.
 */
const QUIET_CPU_MS = 3;
const QUIET_FOR_MS = 300;
const QUIET_WITHIN_MS = 2_500;

/** How much of a work's requests. */
export interface WorkLoad {
  connections: number;
  /** How many times the work's own number of requests a round has. */
  factor: number;
}

/** Measures a work: every round goes over each door and the floor once, so that whatever else the machine does hits all. */
export async function measureWork(work: Work, database: string, rounds: number, load: WorkLoad): Promise<Result[]> {
  const doorRounds: Round[][] = work.doors.map(() => []);
  const floorRounds: Round[] = [];
  for (let round = -1; round < rounds; round++) {
    const maxRequests = Math.ceil(work.requestsPerRound * load.factor * (round < 0 ? WARM_UP_FACTOR : 1));
    const bound = { connections: load.connections, durationMs: ROUND_MAX_MS, maxRequests };
    const atDoors: Round[] = [];
    for (const door of work.doors) atDoors.push(await runRound(door, work, bound));
    const atFloor = await runRound(work.floor, work, bound);
    if (round < 0) continue;
    for (const [index, one] of atDoors.entries()) doorRounds[index]!.push(one);
    floorRounds.push(atFloor);
  }
  const figure = work.measure === 'cpu' ? 'cpuUsPerRequest' : 'p50Ms';
  return work.doors.map(({ door, limit }, index) => ({
    work: work.name,
    door,
    database,
    connections: load.connections,
    measure: work.measure,
    cost: costOf(doorRounds[index]!),
    floorName: work.floor.name,
    floor: costOf(floorRounds),
    ratio: median(doorRounds[index]!.map((one, round) => one[figure] / floorRounds[round]![figure])),
    limit,
  }));
}

async function runRound(side: Side, work: Work, load: Load): Promise<Round> {
  const pids = side.pids();
  const databasePids = work.databasePids();
  const cpuBefore = threadsCpuMs(pids);
  const databaseBefore = processesCpuMs(databasePids);
  const latenciesMs = await drive(side.send, load);
  // What a request leaves to be done later is its cost too.
  await untilQuiet(pids);
  const requests = latenciesMs.length;
  return {
    requests,
    cpuUsPerRequest: ((threadsCpuMs(pids) - cpuBefore) * 1_000) / requests,
    databaseCpuUsPerRequest:
      databasePids.length === 0 ? null : ((processesCpuMs(databasePids) - databaseBefore) * 1_000) / requests,
    p50Ms: percentile(latenciesMs, 0.5),
    p99Ms: percentile(latenciesMs, 0.99),
    residentBytes: residentBytes(pids),
  };
}

async function untilQuiet(pids: readonly number[]): Promise<void> {
  const deadline = performance.now() + QUIET_WITHIN_MS;
  for (let before = threadsCpuMs(pids); performance.now() < deadline; ) {
    await sleep(QUIET_FOR_MS);
    const now = threadsCpuMs(pids);
    if (now - before < QUIET_CPU_MS * pids.length) return;
    before = now;
  }
}

function costOf(rounds: readonly Round[]): Cost {
  const of = (figure: 'cpuUsPerRequest' | 'p50Ms' | 'p99Ms') => median(rounds.map((round) => round[figure]));
  const database = rounds.flatMap(({ databaseCpuUsPerRequest: us }) => us ?? []);
  return {
    requests: rounds.reduce((sum, { requests }) => sum + requests, 0),
    cpuUsPerRequest: of('cpuUsPerRequest'),
    databaseCpuUsPerRequest: database.length === 0 ? null : median(database),
    p50Ms: of('p50Ms'),
    p99Ms: of('p99Ms'),
    residentBytes: rounds.at(-1)!.residentBytes,
  };
}
