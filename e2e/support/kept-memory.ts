import { existsSync, readFileSync, rmSync } from 'node:fs';
import { expect } from 'vitest';
import { eventually } from './world.ts';

const PRELOAD = new URL('./tell-kept-memory.ts', import.meta.url);

/** What must be in the environment of a process that {@link keptMemoryOf} is to be asked of. */
export function tellsKeptMemory(file: string): Record<string, string> {
  return { NODE_OPTIONS: `--expose-gc --import=${PRELOAD}`, KEPT_MEMORY_FILE: file };
}

/** Bytes that a process still keeps after all garbage is collected, which it does for this. */
export async function keptMemoryOf(pid: number, file: string): Promise<number> {
  rmSync(file, { force: true });
  process.kill(pid, 'SIGUSR2');
  await eventually(async () => expect(existsSync(file), `process ${pid} has told what it keeps`).toBe(true));
  return Number(readFileSync(file, 'utf8'));
}
