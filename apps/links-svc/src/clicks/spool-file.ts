import {
  closeSync,
  existsSync,
  fdatasync,
  fdatasyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { open, type RootDatabase } from 'lmdb';
import type { Logger } from 'pino';
import { ClickJournal } from './click-journal.ts';

/** How often what was written is pressed to the disk, for the case that the machine dies and not just the process. */
const DISK_SYNC_EVERY_MS = 1_000;

/** The files of a spool. */
export interface SpoolFile {
  root: RootDatabase<string, string>;
  /** Written before LMDB is. */
  journal: ClickJournal;
  close(): Promise<void>;
}

/**
 * Opens the journal and the LMDB environment of a spool, in a directory that this process owns.
 *
 * What is written is in the operating system's hands when it returns, so it outlives this process, however that dies; it
 * does not wait for the disk, which would cost ten times the rest (measured: 260 µs of CPU and half a millisecond of
 * waiting for a commit to LMDB, against 15 µs). If the machine itself dies, LMDB does not vouch for a file written so. The
 * boot id tells: after a new boot without a clean close the whole file is read with `readAll` first, and a file that
 * cannot be read is set aside, loudly, so that it can be looked at and redirects go on.
 */
export function openSpoolFile(
  directory: string,
  logger: Logger,
  readAll: (root: SpoolFile['root']) => void,
): SpoolFile {
  const path = join(directory, 'clicks');
  const bootMark = join(directory, 'boot-id');
  const bootId = currentBootId();
  if (existsSync(bootMark) && readFileSync(bootMark, 'utf8') !== bootId)
    setAsideIfBroken(directory, path, logger, readAll);

  mkdirSync(path, { recursive: true });
  writeFileSync(bootMark, bootId);
  const root = openRoot(path);
  const journal = new ClickJournal(join(path, 'journal'));
  const stopSyncing = syncNowAndThen([journal.path, join(path, 'data.mdb')], logger);
  return {
    root,
    journal,
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

function openRoot(path: string): SpoolFile['root'] {
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

function setAsideIfBroken(
  directory: string,
  path: string,
  logger: Logger,
  readAll: (root: SpoolFile['root']) => void,
): void {
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

/** Syncs the files to the disk every second, off the event loop; gives the function that does so a last time. */
function syncNowAndThen(files: string[], logger: Logger): () => Promise<void> {
  const handles = files.map((file) => openSync(file, 'r+'));
  let running: Promise<unknown> = Promise.resolve();
  const timer = setInterval(() => {
    running = Promise.all(handles.map((handle) => sync(handle)));
  }, DISK_SYNC_EVERY_MS);
  timer.unref();
  return async () => {
    clearInterval(timer);
    await running;
    for (const handle of handles) {
      fdatasyncSync(handle);
      closeSync(handle);
    }
  };

  function sync(handle: number): Promise<void> {
    return new Promise((resolve) => {
      fdatasync(handle, (error) => {
        if (error) logger.error({ err: error }, 'the click spool could not be synced to the disk');
        resolve();
      });
    });
  }
}
