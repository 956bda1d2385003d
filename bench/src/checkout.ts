import { execFile, execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import type { Stack, StackOptions } from '@waymark/stack';

// What older and newer checkouts have in common, so that the same work can be measured on each: `startStack`, the command
// line and the HTTP API.

/** The root folder of this repository. */
export const ROOT = join(import.meta.dirname, '../..');
/** Progress of an import is one line for each batch. */
const MAX_OUTPUT_BYTES = 16 * 1_024 * 1_024;

/** Starts the built system of a checkout. */
export async function startStackOf(checkout: string, options: StackOptions): Promise<Stack> {
  const entry = pathToFileURL(join(checkout, 'packages/stack/dist/index.js')).href;
  const { startStack } = (await import(entry)) as typeof import('@waymark/stack');
  return startStack(options);
}

/** Runs the checkout's command line on the stack in this folder, and returns what it prints. */
export async function runAdmin(checkout: string, dataDir: string, args: readonly string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, [join(checkout, 'apps/admin/dist/main.js'), ...args], {
    env: { ...process.env, DATA_DIR: dataDir },
    maxBuffer: MAX_OUTPUT_BYTES,
  });
  return stdout;
}

/** Imports the links of a CSV file into the account with this name. */
export async function importLinks(checkout: string, dataDir: string, username: string, file: string): Promise<void> {
  await runAdmin(checkout, dataDir, ['links', 'import', '--username', username, '--file', file, '--json']);
}

export function commitOf(checkout: string): string {
  return execFileSync('git', ['describe', '--always', '--dirty'], { cwd: checkout, encoding: 'utf8' }).trim();
}
