import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const MODULES = join(import.meta.dirname, '../../node_modules');

/** Returns the path of the script that a package's command runs. */
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

/** Runs a script with Node until it exits. */
export function runTool(script: string, args: readonly string[], env: Record<string, string> = {}): Promise<Ended> {
  return runCommand(process.execPath, [script, ...args], { env });
}

/** Runs a command until it exits. `exitCode` is null if the command is not installed. */
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
