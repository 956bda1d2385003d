import { spawnSync } from 'node:child_process';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The exit code with which the inspector reports a damaged file. */
export const DAMAGED = 3;

const INSPECTOR = fileURLToPath(new URL(`./spool-inspector${extname(import.meta.filename)}`, import.meta.url));
const CRASHES = new Set<string | null>(['SIGBUS', 'SIGSEGV', 'SIGABRT', 'SIGILL', 'SIGFPE', 'SIGTRAP']);
/** A check is fast, but reading a damaged file may never end. */
const CHECK_TIMEOUT_MS = 20_000;
/** Data that are not copied within this time stay in the file that was set aside. */
const RECOVER_TIMEOUT_MS = 40_000;

/** The result of checking an LMDB file. */
export interface CheckResult {
  /** `unknown` if the check itself failed. */
  outcome: 'sound' | 'damaged' | 'unknown';
  /** Empty for a sound file. */
  reason: string;
}

/** Checks an LMDB file in a separate process, because a damaged file can crash the process that reads it. */
export function checkFile(path: string): CheckResult {
  const { status, signal, stderr, error } = runInspector(['check', path], CHECK_TIMEOUT_MS);
  if (status === 0) return { outcome: 'sound', reason: '' };
  if (isTimeout(error)) return { outcome: 'damaged', reason: 'reading it did not end' };
  // LMDB may have printed lines of its own before the reason.
  if (status === DAMAGED) return { outcome: 'damaged', reason: stderr.split('\n').at(-1)! };
  if (CRASHES.has(signal)) return { outcome: 'damaged', reason: `reading it ends in ${signal}` };
  return { outcome: 'unknown', reason: error?.message ?? (stderr || `the check ended with ${signal ?? status}`) };
}

/** Copies the readable data of a damaged LMDB file to a new file, in a separate process and for a limited time. */
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
