import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const MODULES = join(import.meta.dirname, '../../node_modules');

/** The script behind a command of an installed package. */
export function scriptOf(packageName: string, command: string): string {
  const folder = join(MODULES, packageName);
  const { bin } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { bin: Record<string, string> };
  return join(folder, bin[command]!);
}

export interface Ended {
  exitCode: number | null;
  stdout: string;
  stderr: string;
}

/** Runs a command of an installed package to its end. */
export function runTool(script: string, args: readonly string[], env: Record<string, string> = {}): Promise<Ended> {
  return runCommand(process.execPath, [script, ...args], { env });
}

/** Runs a command to its end. `exitCode` is null if the machine does not have it. */
export function runCommand(
  command: string,
  args: readonly string[],
  { env = {}, cwd }: { env?: Record<string, string>; cwd?: string } = {},
): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      ...(cwd !== undefined && { cwd }),
    });
    let stdout = '';
    let stderr = '';
    child.stdout.on('data', (chunk) => {
      stdout += chunk;
    });
    child.stderr.on('data', (chunk) => {
      stderr += chunk;
    });
    child.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') resolve({ exitCode: null, stdout, stderr: error.message });
      else reject(error);
    });
    child.on('close', (exitCode) => resolve({ exitCode, stdout, stderr }));
  });
}
