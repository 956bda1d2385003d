import { mkdirSync, readdirSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { checkFile, recoverFile } from './spool-inspection.ts';

const BLOCK_BYTES = 512;

/**
 * Checks the LMDB file in `path`. Moves a damaged file to a new folder in `directory`, where it is kept for inspection,
 * and copies its readable data to a new file.
 */
export function setAsideIfDamaged(directory: string, path: string, logger: Logger): void {
  const { outcome, reason } = checkFile(path);
  if (outcome === 'sound') return;
  if (outcome === 'unknown') {
    logger.warn({ reason }, 'the click spool could not be checked; using it unchecked');
    return;
  }
  const aside = join(directory, `clicks-broken-${Date.now()}`);
  mkdirSync(aside);
  for (const name of readdirSync(path)) if (name.endsWith('.mdb')) renameSync(join(path, name), join(aside, name));
  recoverFile(aside, path);
  logger.fatal(
    { reason, path: aside },
    'the click spool is damaged; its file was set aside and the readable clicks were kept',
  );
}

/** Counts the damaged files that are still in the directory of a spool, and the disk space that they use in bytes. */
export function filesSetAside(directory: string): { files: number; bytes: number } {
  const files = readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.includes('-broken-') && !name.endsWith('lock.mdb'))
    .flatMap((name) => statSync(join(directory, name), { throwIfNoEntry: false }) ?? [])
    .filter((stats) => stats.isFile());
  return { files: files.length, bytes: files.reduce((sum, { blocks }) => sum + blocks * BLOCK_BYTES, 0) };
}
