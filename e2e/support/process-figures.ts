import { readFileSync } from 'node:fs';

/** Returns the resident memory of a process in bytes, without file mappings. */
export function memoryOf(pid: number): number {
  return Number(/^RssAnon:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) * 1_024;
}

/** Returns the seconds that a process's main thread ran, and the seconds that it waited for a CPU. */
export function cpuOf(pid: number): { ran: number; waited: number } {
  const [ran, waited] = readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ').map(Number) as [number, number];
  return { ran: ran / 1e9, waited: waited / 1e9 };
}

export function mib(bytes: number): number {
  return Math.round(bytes / 1024 ** 2);
}
