import { existsSync, mkdirSync, readdirSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { DATABASE_FILE, LOG_FILE, SpoolStore } from './spool.store.ts';
import { isDamage } from './spool-errors.ts';

const ASIDE = 'clicks-broken-';
const BLOCK_BYTES = 512;

/** Opens the store of a spool. Replaces a damaged one. */
export function openSpoolStore(directory: string, logger: Logger): SpoolStore {
  try {
    return new SpoolStore(directory, logger);
  } catch (error) {
    if (!isDamage(error)) throw error;
    return replaceDamaged(directory, { error, firstNumber: 1 }, logger);
  }
}

/** Moves the files of a closed, damaged store to a new folder, where they stay, and opens an empty store. */
export function replaceDamaged(
  directory: string,
  { error, firstNumber }: { error: unknown; firstNumber: number },
  logger: Logger,
): SpoolStore {
  const aside = join(directory, `${ASIDE}${Date.now()}`);
  mkdirSync(aside);
  for (const name of [DATABASE_FILE, LOG_FILE])
    if (existsSync(join(directory, name))) renameSync(join(directory, name), join(aside, name));
  const { message: reason } = error as Error;
  logger.fatal({ reason, path: aside }, 'the click spool is damaged; its file was set aside with its clicks');
  return new SpoolStore(directory, logger, firstNumber);
}

/** Counts the damaged files that are still in the directory of a spool, and the disk space that they use in bytes. */
export function filesSetAside(directory: string): { files: number; bytes: number } {
  const files = readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.startsWith(ASIDE))
    .flatMap((name) => statSync(join(directory, name), { throwIfNoEntry: false }) ?? []);
  return {
    files: files.filter((stats) => stats.isDirectory()).length,
    bytes: files.reduce((sum, stats) => sum + (stats.isFile() ? stats.blocks * BLOCK_BYTES : 0), 0),
  };
}
