import { existsSync, readFileSync, rmSync } from 'node:fs';
import { expect } from 'vitest';
import { eventually } from './world.ts';

const PRELOAD = new URL('./tell-kept-memory.ts', import.meta.url);

/** Returns the environment that a process needs for {@link keptMemoryOf}. */
export function reportsKeptMemory(file: string): Record<string, string> {
  return { NODE_OPTIONS: `--expose-gc --import=${PRELOAD}`, KEPT_MEMORY_FILE: file };
}

/** Makes a process collect all garbage, and returns the bytes of memory that it still uses. */
export async function keptMemoryOf(pid: number, file: string): Promise<number> {
  rmSync(file, { force: true });
  process.kill(pid, 'SIGUSR2');
  await eventually(async () => expect(existsSync(file), `process ${pid} has told what it keeps`).toBe(true));
  return Number(readFileSync(file, 'utf8'));
}
