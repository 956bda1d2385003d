import { readFileSync, writeFileSync } from 'node:fs';
import { residentBytes } from '../cpu-time.ts';

/** Returns the resident memory of a process in bytes; null if the process has exited. */
export function residentNow(pid: number | undefined): number | null {
  return ifRunning(pid, (running) => residentBytes([running]));
}

/** Restarts the measurement that {@link peakResident} returns (proc_pid_clear_refs(5)). */
export function resetPeak(pid: number | undefined): void {
  ifRunning(pid, (running) => writeFileSync(`/proc/${running}/clear_refs`, '5'));
}

/** Returns the peak resident memory in bytes since the reset; null if the process has exited. */
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
