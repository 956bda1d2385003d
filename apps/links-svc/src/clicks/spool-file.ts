import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { open, type RootDatabase } from 'lmdb';
import type { Logger } from 'pino';
import { clicksOfGroup } from './click-group.ts';
import { ClickJournal } from './click-journal.ts';
import { startDiskSync } from './disk-sync.ts';
import { openTables, type SpoolTables } from './spool-tables.ts';

const COMMIT_SYNCHRONOUSLY = 2;

/** The files of a spool. */
export interface SpoolFile {
  tables: SpoolTables;
  /** Written before LMDB is. */
  journal: ClickJournal;
  /** Does what belongs together in one transaction. Throws if it cannot be committed, and then nothing of it is done. */
  transaction(action: (tables: SpoolTables) => void): void;
  close(): Promise<void>;
}

/**
 * Opens the journal and the LMDB environment of a spool, in a directory that this process owns.
 *
 * What is written is in the operating system's hands when it returns, so it outlives this process, however that dies; it
 * does not wait for the disk, which would cost ten times the rest (measured: 260 µs of CPU and half a millisecond of
 * waiting for a commit to LMDB, against 15 µs). If the machine itself dies, LMDB does not vouch for a file written so. The
 * boot id tells: after a new boot without a clean close the whole file is read first, and a file that
 * cannot be read is set aside, loudly, so that it can be looked at and redirects go on.
 */
export function openSpoolFile(directory: string, logger: Logger): SpoolFile {
  const path = join(directory, 'clicks');
  const bootMark = join(directory, 'boot-id');
  const bootId = currentBootId();
  if (existsSync(bootMark) && readFileSync(bootMark, 'utf8') !== bootId) setAsideIfBroken(directory, path, logger);

  mkdirSync(path, { recursive: true });
  writeFileSync(bootMark, bootId);
  const root = openRoot(path);
  const journal = new ClickJournal(join(path, 'journal'));
  const tables = openTables(root);
  const stopSyncing = startDiskSync([journal.path, join(path, 'data.mdb')], logger);
  return {
    tables,
    journal,
    transaction(action) {
      root.transactionSync(() => action(tables), COMMIT_SYNCHRONOUSLY);
    },
    async close() {
      // lmdb ends a turn's reads at its end, and (3.5) deadlocks where it is closed after a read and a transaction of
      // one turn: the whole process would stand still.
      await nextTurn();
      await root.close();
      journal.close();
      await stopSyncing();
      rmSync(bootMark);
    },
  };
}

function openRoot(path: string): RootDatabase<string, string> {
  return open({ path, maxDbs: 4, encoding: 'string', noSync: true });
}

/** Another value for each start of the machine; one value where the system has none to tell. */
function currentBootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return 'unknown';
  }
}

function setAsideIfBroken(directory: string, path: string, logger: Logger): void {
  // Reading a broken file can end the process instead of throwing: the mark is then still there at the next start.
  const readingMark = join(directory, 'reading-after-crash');
  let broken: unknown = existsSync(readingMark) ? new Error('an earlier attempt to read it did not end') : undefined;
  writeFileSync(readingMark, '');
  if (broken === undefined && existsSync(path)) {
    try {
      const root = openRoot(path);
      try {
        readAll(root);
      } finally {
        void root.close();
      }
    } catch (error) {
      broken = error;
    }
  }
  if (broken !== undefined) {
    const aside = `${path}-broken-${Date.now()}`;
    renameSync(path, aside);
    logger.fatal(
      { err: broken, path: aside },
      'the click spool cannot be read after a crash of the machine; it was set aside with the clicks in it',
    );
  }
  rmSync(readingMark);
}

/** Reads every value of the file; throws where one is not what it should be. */
function readAll(root: RootDatabase<string, string>): void {
  const { groups, state, dirty, rejected } = openTables(root);
  for (const { key, value } of groups.getRange())
    if (clicksOfGroup(value).length !== key[1]) throw new TypeError('a group of other clicks than it says');
  for (const table of [state, rejected]) for (const { value } of table.getRange()) JSON.parse(value);
  for (const { value } of dirty.getRange())
    if (!Number.isInteger(Number(value))) throw new TypeError('a dirty link without a mark');
}
