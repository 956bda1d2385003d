import { readFileSync } from 'node:fs';

/** The memory of a process, in bytes. */
export interface ProcessMemory {
  /** Everything that is resident (RSS), also pages of files that other processes have mapped too. */
  resident: number;
  /** The part of it that belongs to this process alone: heaps, buffers, stacks. */
  own: number;
  /** Like `resident`, but a page that several processes have mapped is divided between them (PSS). */
  proportional: number;
}

/** Returns the memory of a running process, from /proc/PID/smaps_rollup. */
export function processMemory(pid: number): ProcessMemory {
  return parseSmaps(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'));
}

/** Parses the text of /proc/PID/smaps_rollup. */
export function parseSmaps(text: string): ProcessMemory {
  const bytesOf = (name: string) => Number(new RegExp(`^${name}: +(\\d+) kB$`, 'm').exec(text)![1]) * 1_024;
  return { resident: bytesOf('Rss'), own: bytesOf('Anonymous'), proportional: bytesOf('Pss') };
}
