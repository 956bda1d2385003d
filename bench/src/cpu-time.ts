import { readdirSync, readFileSync } from 'node:fs';

/** Linux counts the CPU time of a process in hundredths of a second (`getconf CLK_TCK`). */
const TICK_MS = 10;

/**
 * Returns the CPU time in milliseconds of the processes' living threads, with nanosecond resolution, from
 * /proc/PID/task/TID/schedstat. Only for processes whose threads do not exit, such as Node's.
 * @throws if a process does not run.
 */
export function threadsCpuMs(pids: readonly number[]): number {
  let ns = 0;
  for (const pid of pids) {
    for (const thread of readdirSync(`/proc/${pid}/task`)) {
      ns += Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ', 1)[0]);
    }
  }
  return ns / 1e6;
}

/**
 * Returns the CPU time in milliseconds of the processes, exited threads included, with a resolution of 10 ms: user and
 * system time from /proc/PID/stat.
 * @throws if a process does not run.
 */
export function processesCpuMs(pids: readonly number[]): number {
  return pids.reduce((sum, pid) => sum + ticksOf(readFileSync(`/proc/${pid}/stat`, 'utf8')) * TICK_MS, 0);
}

/**
 * Parses user plus system time, in ticks, from a line of /proc/PID/stat. The name in parentheses may contain any
 * character, so fields are counted after the last parenthesis.
 */
export function ticksOf(stat: string): number {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return Number(fields[11]) + Number(fields[12]);
}

/** Returns the resident memory of the processes, in bytes. */
export function residentBytes(pids: readonly number[]): number {
  return pids.reduce((sum, pid) => {
    const kib = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    return sum + Number(kib) * 1_024;
  }, 0);
}
