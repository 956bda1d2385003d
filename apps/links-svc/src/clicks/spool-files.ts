import { copyFileSync, existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { ClickJournal } from './click-journal.ts';
import { startDiskSync } from './disk-sync.ts';
import { DATA_FILE, SpoolEnvironment } from './spool-environment.ts';
import { filesSetAside, setAsideIfDamaged } from './spool-set-aside.ts';

/** The files of a spool. */
export interface SpoolFiles {
  environment: SpoolEnvironment;
  /** Clicks are written here before they are written to the environment. */
  journal: ClickJournal;
  /** Copies the journal to a file that is kept for inspection. Returns the path of the copy. */
  copyJournal(): string;
  /** Returns the number of damaged files kept for inspection, and the disk space that they use in bytes. */
  filesSetAside(): { files: number; bytes: number };
  close(): Promise<void>;
}

/**
 * Opens the journal and the LMDB environment of a spool, in a directory that this process owns.
 *
 * Both are synced to the disk every second. With this mode LMDB does not guarantee an intact file after a crash of the
 * machine, and any file can be damaged. So the file is checked first, and a damaged file is set aside.
 */
export function openSpoolFiles(directory: string, logger: Logger): SpoolFiles {
  const path = join(directory, 'clicks');
  const dataFile = join(path, DATA_FILE);
  mkdirSync(path, { recursive: true });
  if (existsSync(dataFile)) setAsideIfDamaged(directory, path, logger);
  const environment = new SpoolEnvironment(path);
  const journal = new ClickJournal(join(path, 'journal'));
  const stopSyncing = startDiskSync([journal.path, dataFile], logger);
  return {
    environment,
    journal,
    copyJournal() {
      const copy = `${journal.path}-broken-${Date.now()}`;
      copyFileSync(journal.path, copy);
      return copy;
    },
    filesSetAside: () => filesSetAside(directory),
    async close() {
      await environment.close();
      journal.close();
      await stopSyncing();
    },
  };
}
