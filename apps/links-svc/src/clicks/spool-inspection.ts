import { spawnSync } from 'node:child_process';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The exit code of the inspector that says that the file is damaged. */
export const DAMAGED = 3;

const INSPECTOR = fileURLToPath(new URL(`./spool-inspector${extname(import.meta.filename)}`, import.meta.url));
const CRASHES = new Set<string | null>(['SIGBUS', 'SIGSEGV', 'SIGABRT', 'SIGILL', 'SIGFPE', 'SIGTRAP']);
/** Reading what a check reads takes well under a second: a damaged file may be read in circles. */
const CHECK_TIMEOUT_MS = 20_000;
/** What is not copied by then stays in the file that was set aside. */
const RECOVER_TIMEOUT_MS = 40_000;

/** How the check of an LMDB file ended. */
export interface CheckResult {
  /** `unknown` if the check itself could not be done. */
  outcome: 'sound' | 'damaged' | 'unknown';
  /** Empty for a sound file. */
  reason: string;
}

/** Checks an LMDB file in another process, which a damaged file may end. */
export function checkFile(path: string): CheckResult {
  const { status, signal, stderr, error } = runInspector(['check', path], CHECK_TIMEOUT_MS);
  if (status === 0) return { outcome: 'sound', reason: '' };
  if (isTimeout(error)) return { outcome: 'damaged', reason: 'reading it did not end' };
  // LMDB may have printed lines of its own before.
  if (status === DAMAGED) return { outcome: 'damaged', reason: stderr.split('\n').at(-1)! };
  if (CRASHES.has(signal)) return { outcome: 'damaged', reason: `reading it ends in ${signal}` };
  return { outcome: 'unknown', reason: error?.message ?? (stderr || `the check ended with ${signal ?? status}`) };
}

/** Copies what can be read of a damaged LMDB file into a new one, in another process, for a limited time. */
export function recoverFile(from: string, to: string): void {
  runInspector(['recover', from, to], RECOVER_TIMEOUT_MS);
}

function runInspector(args: string[], timeout: number) {
  return spawnSync(process.execPath, [INSPECTOR, ...args], {
    encoding: 'utf8',
    stdio: ['ignore', 'ignore', 'pipe'],
    timeout,
    killSignal: 'SIGKILL',
  });
}

function isTimeout(error: Error | undefined): boolean {
  return (error as NodeJS.ErrnoException | undefined)?.code === 'ETIMEDOUT';
}
