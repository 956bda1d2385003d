import { markdownTable } from '../report/format.ts';
import type { ProcessMemory } from './process-memory.ts';

const HEAD = ['process', 'resident', 'own', 'proportional'];

/** Formats the memory of processes in MiB as a Markdown table with a sum. */
export function memoryTable(processes: ReadonlyMap<string, ProcessMemory>): string {
  const all = [...processes.values()];
  const sum = (part: keyof ProcessMemory) => all.reduce((bytes, memory) => bytes + memory[part], 0);
  const total = { resident: sum('resident'), own: sum('own'), proportional: sum('proportional') };
  const rows = [...processes, ['sum', total] as const].map(([name, { resident, own, proportional }]) => [
    name,
    ...[resident, own, proportional].map((bytes) => String(Math.round(bytes / 1024 ** 2))),
  ]);
  return markdownTable([HEAD, ...rows], 1).join('\n');
}
