import { readdirSync, readFileSync } from 'node:fs';

/** Linux counts the CPU time of a process in hundredths of a second (`getconf CLK_TCK`). */
const TICK_MS = 10;

/**
 * Milliseconds of CPU that the living threads of the processes have used, to the nanosecond: the kernel's scheduler
 * counts them in /proc/PID/task/TID/schedstat. For processes whose threads do not end, as Node's do not.
 * @throws where a process does not run.
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
 * Milliseconds of CPU that the processes have used, ended threads included, to 10 ms: user and system time of
 * /proc/PID/stat.
 * @throws where a process does not run.
 */
export function processesCpuMs(pids: readonly number[]): number {
  return pids.reduce((sum, pid) => sum + ticksOf(readFileSync(`/proc/${pid}/stat`, 'utf8')) * TICK_MS, 0);
}

/** User and system time in a line of /proc/PID/stat, in ticks. The name in it, in brackets, may hold anything. */
export function ticksOf(stat: string): number {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return Number(fields[11]) + Number(fields[12]);
}

/** Bytes of memory that the processes have resident now. */
export function residentBytes(pids: readonly number[]): number {
  return pids.reduce((sum, pid) => {
    const kib = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    return sum + Number(kib) * 1_024;
  }, 0);
}
