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
  /** Written before the environment is. */
  journal: ClickJournal;
  /** Copies the journal into a file that is kept for inspection. Returns its path. */
  copyJournal(): string;
  /** How many damaged files are kept for inspection, and how many bytes of the disk they use. */
  filesSetAside(): { files: number; bytes: number };
  close(): Promise<void>;
}

/**
 * Opens the journal and the LMDB environment of a spool, in a directory that this process owns.
 *
 * Both are synced to the disk every second. LMDB does not vouch for a file written so if the machine itself dies, and no
 * file is safe from damage: the file is checked first, and a damaged one is set aside.
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
