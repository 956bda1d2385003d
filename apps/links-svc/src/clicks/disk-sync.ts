import { closeSync, fdatasync, fdatasyncSync, openSync } from 'node:fs';
import { promisify } from 'node:util';
import { startPeriodicTask } from '@waymark/service-kit';
import type { Logger } from 'pino';

/** Limits the loss if the whole machine fails, and not only the process. */
const SYNC_EVERY_MS = 1_000;

const sync = promisify(fdatasync);

/** Syncs files to the disk every second, off the event loop. Returns a function that stops this and syncs once more. */
export function startDiskSync(paths: string[], logger: Logger): () => Promise<void> {
  const handles = paths.map((path) => openSync(path, 'r+'));
  const tasks = handles.map((handle) =>
    startPeriodicTask({
      everyMs: SYNC_EVERY_MS,
      work: () => sync(handle),
      onError: (err) => logger.error({ err }, 'the click spool could not be synced to the disk'),
    }),
  );
  return async () => {
    await Promise.all(tasks.map((task) => task.close()));
    for (const handle of handles) {
      fdatasyncSync(handle);
      closeSync(handle);
    }
  };
}
