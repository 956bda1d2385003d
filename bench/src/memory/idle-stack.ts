import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findFreePorts, readStackFile } from '@waymark/stack';
import { type ProcessMemory, processMemory } from './process-memory.ts';

const START = join(import.meta.dirname, '../../../packages/stack/dist/start.js');
/** The last line that `start` prints. */
const READY = 'Ready after';

/**
 * Runs the built `start` on an empty folder and with the embedded databases, leaves it alone for `idleMs`, and returns
 * the memory of each of its processes by name.
 */
export async function idleStackMemory(idleMs: number): Promise<Map<string, ProcessMemory>> {
  const folder = await mkdtemp(join(tmpdir(), 'waymark-memory-'));
  const [port] = await findFreePorts(1, '127.0.0.1');
  const { PATH, HOME } = process.env;
  const start = spawn(process.execPath, [START], {
    env: { PATH, HOME, DATA_DIR: folder, GATEWAY_PORT: String(port) },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(start, 'exit');
  try {
    await new Promise<void>((resolve, reject) => {
      let output = '';
      start.stdout.on('data', (chunk) => {
        output += chunk;
        if (output.includes(READY)) resolve();
      });
      ended.then(() => reject(new Error('The stack did not start.')), reject);
    });
    await sleep(idleMs);
    const pids = [start.pid!, ...readStackFile(folder)!.pids];
    return new Map(pids.map((pid) => [nameOf(pid), processMemory(pid)]));
  } finally {
    start.kill('SIGTERM');
    await ended;
    await rm(folder, { recursive: true, force: true });
  }
}

/** Returns `gateway` for a process that runs `apps/gateway/dist/main.js`, and `start` for that of `start` itself. */
function nameOf(pid: number): string {
  const script = readFileSync(`/proc/${pid}/cmdline`, 'utf8')
    .split('\0')
    .findLast((argument) => argument.endsWith('.js'))!;
  if (script === START) return 'start';
  const folder = dirname(script);
  return basename(basename(folder) === 'dist' ? dirname(folder) : folder);
}
