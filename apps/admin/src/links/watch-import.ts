import { setTimeout as sleep } from 'node:timers/promises';
import { AppError, isOver, type Job } from '@waymark/contract';
import { type CallOptions, jobFromMessage } from '@waymark/proto';
import { AdminError } from '../admin-error.ts';
import { type Jobs, TRANSFER_MAX_MS } from '../connection.ts';

export interface WatchedImport {
  username: string;
  /** The id of its job. */
  id: string;
}

/** A small import is over by then. */
const FIRST_LOOK_MS = 250;
const LOOK_EVERY_MS = 1_000;
const TRIES = 5;
const PAUSE_MS = 1_000;

/**
 * Waits until an import is over, also while links-svc does not respond for some seconds. `onProgress` gets the number of
 * links that it has dealt with. Ctrl-C ends the waiting, not the import.
 * @throws {AdminError} if it was interrupted, or if links-svc does not respond any more.
 */
export async function watchImport(
  jobs: Jobs,
  callOptions: () => Promise<CallOptions>,
  watched: WatchedImport,
  onProgress: (done: number) => void,
): Promise<Job> {
  const interruption = new AbortController();
  const { signal } = interruption;
  const interrupt = () => interruption.abort();
  process.once('SIGINT', interrupt);
  try {
    for (let pauseMs = FIRST_LOOK_MS; ; pauseMs = LOOK_EVERY_MS) {
      await sleep(pauseMs, undefined, { signal });
      const look = async () => jobs.getAccountJob(watched, { ...(await callOptions()), signal });
      const job = jobFromMessage((await retried(look, signal)).job);
      onProgress(job.done);
      if (isOver(job.state)) return job;
    }
  } catch (error) {
    if (signal.aborted) throw goesOn('Interrupted.', watched);
    if (isOutage(error)) throw goesOn('links-svc does not respond any more.', watched);
    throw error;
  } finally {
    process.off('SIGINT', interrupt);
  }
}

/** Calls `onRefusal` for each row that a finished import refused, in order. */
export async function readRefusedRows(
  jobs: Jobs,
  callOptions: () => Promise<CallOptions>,
  watched: WatchedImport,
  onRefusal: (line: number, reason: string) => void,
): Promise<void> {
  let read = 0;
  await retried(async () => {
    let position = 0;
    for await (const { rows } of jobs.getRefusedRows(watched, {
      ...(await callOptions()),
      timeoutMs: TRANSFER_MAX_MS,
    })) {
      for (const { row, reason } of rows) {
        position += 1;
        if (position <= read) continue;
        read = position;
        onRefusal(row, reason);
      }
    }
  });
}

function goesOn(why: string, { id }: WatchedImport): AdminError {
  return new AdminError(
    `${why} The import goes on as job ${id}; run the command again later to see which rows it refuses.`,
  );
}

/** Repeats a call that failed because links-svc or its database did not respond. */
async function retried<Result>(call: () => Promise<Result>, signal?: AbortSignal): Promise<Result> {
  for (let tries = 1; ; tries++) {
    try {
      return await call();
    } catch (error) {
      if (tries === TRIES || !isOutage(error)) throw error;
      await sleep(PAUSE_MS * tries, undefined, { signal });
    }
  }
}

function isOutage(error: unknown): boolean {
  return error instanceof AppError && error.httpStatus === 503;
}
