import { closeSync, fdatasync, fdatasyncSync, openSync } from 'node:fs';
import type { Logger } from 'pino';

/** Limits the loss if the whole machine fails, and not only the process. */
const SYNC_EVERY_MS = 1_000;

/** Syncs files to the disk every second, off the event loop. Returns a function that stops this and syncs once more. */
export function startDiskSync(paths: string[], logger: Logger): () => Promise<void> {
  const handles = paths.map((path) => openSync(path, 'r+'));
  let running: Promise<unknown> = Promise.resolve();
  const timer = setInterval(() => {
    running = Promise.all(handles.map((handle) => sync(handle)));
  }, SYNC_EVERY_MS);
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
