import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { extname } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { StackError } from './stack-error.ts';

/**
 * Runs a script of this folder in a process of its own and returns the JSON that it prints. `start` runs as long as the
 * stack, so it must not keep libraries in memory that it needs only once.
 * @throws {StackError} with what the script printed to standard error, if it fails.
 */
export async function runScript<Result>(name: string, env: Record<string, string> = {}): Promise<Result> {
  const script = fileURLToPath(new URL(`./${name}${extname(import.meta.filename)}`, import.meta.url));
  const child = spawn(process.execPath, [...process.execArgv, script], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    // Detached, so that Ctrl-C does not end it before `start` has noticed.
    detached: true,
  });
  const [output, errors, [code, signal]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ]);
  if (code !== 0) throw new StackError(errors.trimEnd() || `${name} ended with ${signal ?? `exit code ${code}`}.`);
  return JSON.parse(output) as Result;
}
