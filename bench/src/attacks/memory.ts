import { readFileSync, writeFileSync } from 'node:fs';
import { residentBytes } from '../cpu-time.ts';

/** Bytes that a process has resident now; null where it has ended. */
export function residentNow(pid: number | undefined): number | null {
  return ifRunning(pid, (running) => residentBytes([running]));
}

/** From now on {@link peakResident} is the most of the time since now (proc_pid_clear_refs(5)). */
export function resetPeak(pid: number | undefined): void {
  ifRunning(pid, (running) => writeFileSync(`/proc/${running}/clear_refs`, '5'));
}

/** The most bytes that the process had resident since the reset; null where it has ended. */
export function peakResident(pid: number | undefined): number | null {
  return ifRunning(pid, (running) => {
    const kib = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${running}/status`, 'utf8'))?.[1];
    return Number(kib) * 1_024;
  });
}

function ifRunning<Result>(pid: number | undefined, look: (pid: number) => Result): Result | null {
  if (pid === undefined) return null;
  try {
    return look(pid);
  } catch (error) {
    if (['ENOENT', 'ESRCH'].includes((error as NodeJS.ErrnoException).code!)) return null;
    throw error;
  }
}
