import { setTimeout as sleep } from 'node:timers/promises';
import { lookUntilOver } from '@waymark/client';
import { AppError, type Job } from '@waymark/contract';
import { type CallOptions, jobFromMessage } from '@waymark/proto';
import { interruptedImport, type Refusal } from '@waymark/terminal';
import { AdminError } from '../admin-error.ts';
import { type Jobs, TRANSFER_MAX_MS } from '../connection.ts';

export interface WatchedImport {
  username: string;
  job: Job;
}

const TRIES = 5;
const PAUSE_MS = 1_000;

/**
 * Waits until an import is over, also while links-svc does not respond for some seconds. `onProgress` gets its job
 * after each look. Ctrl-C ends the waiting, not the import.
 * @throws {AdminError} if it was interrupted, or if links-svc does not respond any more.
 */
export async function watchImport(
  jobs: Jobs,
  callOptions: () => Promise<CallOptions>,
  { username, job }: WatchedImport,
  onProgress: (job: Job) => void,
): Promise<Job> {
  const interruption = new AbortController();
  const { signal } = interruption;
  const interrupt = () => interruption.abort();
  process.once('SIGINT', interrupt);
  try {
    const look = async () => jobs.getAccountJob({ username, id: job.id }, { ...(await callOptions()), signal });
    const looking = async () => jobFromMessage((await retried(look, signal)).job);
    return await lookUntilOver(job, looking, { onProgress, signal });
  } catch (error) {
    if (signal.aborted) throw new AdminError(interruptedImport('Interrupted.', job.id));
    if (isOutage(error)) throw new AdminError(interruptedImport('links-svc does not respond any more.', job.id));
    throw error;
  } finally {
    process.off('SIGINT', interrupt);
  }
}

/** Calls `onRefusal` for each row that a finished import refused, in order. */
export async function readRefusedRows(
  jobs: Jobs,
  callOptions: () => Promise<CallOptions>,
  { username, job }: WatchedImport,
  onRefusal: (refusal: Refusal) => void,
): Promise<void> {
  let read = 0;
  await retried(async () => {
    let position = 0;
    const options = { ...(await callOptions()), timeoutMs: TRANSFER_MAX_MS };
    for await (const { rows } of jobs.getRefusedRows({ username, id: job.id }, options)) {
      for (const { row, reason } of rows) {
        position += 1;
        if (position <= read) continue;
        read = position;
        onRefusal({ row, reason });
      }
    }
  });
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
