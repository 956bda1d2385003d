import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync, type SQLOutputValue } from 'node:sqlite';
import type { Logger } from 'pino';
import { RESERVE_FILE } from './disk-reserve.ts';
import { DATABASE_FILE, LOG_FILE, SCHEMA, SpoolStore } from './spool.store.ts';
import { isDamage } from './spool-errors.ts';

const ASIDE = 'clicks-broken-';
const BLOCK_BYTES = 512;
/** Nothing else happens while clicks are copied. Those that are not copied in this time stay in the damaged file. */
const COPY_MAX_MS = 20_000;
const COMMIT_EVERY = 1_000;

/** Opens the store of a spool. Replaces a damaged one. */
export function openSpoolStore(directory: string, logger: Logger): SpoolStore {
  try {
    return new SpoolStore(directory, logger);
  } catch (error) {
    if (!isDamage(error)) throw error;
    return replaceDamaged(directory, { error, firstNumber: 1 }, logger);
  }
}

/**
 * Moves the files of a closed, damaged store to a new folder, where they are kept for inspection. Copies what can be
 * read to a new store.
 */
export function replaceDamaged(
  directory: string,
  { error, firstNumber }: { error: unknown; firstNumber: number },
  logger: Logger,
): SpoolStore {
  const aside = join(directory, `${ASIDE}${Date.now()}`);
  mkdirSync(aside);
  for (const name of [DATABASE_FILE, LOG_FILE])
    if (existsSync(join(directory, name))) renameSync(join(directory, name), join(aside, name));
  // The copy needs its space on a full disk.
  rmSync(join(directory, RESERVE_FILE), { force: true });
  // SQLite would delete the log of an empty file.
  if (statSync(join(aside, DATABASE_FILE)).size > 0)
    copyReadable(join(aside, DATABASE_FILE), join(directory, DATABASE_FILE));
  const store = new SpoolStore(directory, logger, firstNumber);
  const { message: reason } = error as Error;
  logger.fatal(
    { reason, path: aside, clicks: store.clicks },
    'the click spool is damaged; its file was set aside and the readable clicks were kept',
  );
  return store;
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

/** Copies what can be read from a damaged database to a new one, until the time is up or the disk is full. */
function copyReadable(from: string, to: string): void {
  const source = new DatabaseSync(from, { returnArrays: true });
  const target = new DatabaseSync(to);
  target.exec(`PRAGMA synchronous = OFF; ${SCHEMA}`);
  const until = Date.now() + COPY_MAX_MS;
  // The batch comes first: clicks that may have been sent must keep its token.
  for (const table of ['batch', 'clicks', 'dirty_links', 'rejected']) {
    target.exec('BEGIN');
    try {
      copyTable(table, source, target, until);
    } catch {
      // The rows up to the error are kept.
    }
    if (target.isTransaction) target.exec('COMMIT');
  }
  source.close();
  target.close();
}

function copyTable(table: string, source: DatabaseSync, target: DatabaseSync, until: number): void {
  const select = source.prepare(`SELECT rowid, * FROM ${table} WHERE rowid >= ? ORDER BY rowid`);
  const places = select
    .columns()
    .slice(1)
    .map(() => '?');
  const insert = target.prepare(`INSERT OR IGNORE INTO ${table} VALUES (${places})`);
  let next = 0;
  let failedFrom = 0;
  let copied = 0;
  while (next < Number.MAX_SAFE_INTEGER && Date.now() < until) {
    try {
      for (const row of select.iterate(next) as Iterable<unknown> as Iterable<[number, ...SQLOutputValue[]]>) {
        const [rowid, ...values] = row;
        insert.run(...values);
        next = Math.max(next, rowid + 1);
        failedFrom = next;
        copied += 1;
        if (copied % COMMIT_EVERY === 0) target.exec('COMMIT; BEGIN');
        if (Date.now() > until) return;
      }
      return;
    } catch (error) {
      if (!isDamage(error)) throw error;
      // It is not known how many rows the damaged pages have. The larger the gap, the larger the steps.
      next += 1 + Math.floor((next - failedFrom) / 8);
    }
  }
}
