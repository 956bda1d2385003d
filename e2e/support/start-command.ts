import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { join } from 'node:path';

const MAIN = join(import.meta.dirname, '../../packages/stack/dist/start.js');

export interface Started {
  child: ChildProcess;
  output: string;
  curls: string[];
}

/**
 * Starts the product as a user would, in its own process group and with a minimal environment. Waits until it reports
 * that it is running.
 */
export async function startCommand(env: Record<string, string>): Promise<Started> {
  const child = spawn(process.execPath, [MAIN], {
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env },
  });
  let output = '';
  await new Promise<void>((resolve, reject) => {
    const onData = (chunk: Buffer) => {
      output += chunk.toString();
      if (/ctrl-c/i.test(output)) resolve();
    };
    child.stdout!.on('data', onData);
    child.stderr!.on('data', onData);
    child.once('exit', (code) => reject(new Error(`start ended with ${code}:\n${output}`)));
  });
  const lines = output.split('\n').map((line) => line.trim());
  return { child, output, curls: lines.filter((line) => line.startsWith('curl ')) };
}

/** Sends SIGINT to the whole process group, as Ctrl-C in a terminal does. Returns the exit code. */
export async function interrupt(child: ChildProcess): Promise<number | null> {
  const exited = new Promise<number | null>((resolve) => child.once('exit', resolve));
  process.kill(-child.pid!, 'SIGINT');
  return exited;
}

/** Runs a command line in a shell and returns its output. */
export function paste(line: string): string {
  return execFileSync('sh', ['-c', line], { encoding: 'utf8', timeout: 10_000 });
}
