import { randomUUID } from 'node:crypto';
import { AppError, JOBS_WAITING_MAX, type JobState } from '@waymark/contract';
import type { AccountDraft } from '../changes/account-draft.ts';
import type { JobDocument } from '../database/documents/job.ts';
import { ended } from './job.ts';

const RETRY_AFTER_SECONDS = 10;

/**
 * Adds a job to the queue of its account, which must have been read.
 * @throws {AppError} `rate_limited` if too many wait.
 */
export function enqueue({ documents, account }: AccountDraft, job: JobDocument): void {
  const { _id } = account;
  const { jobs, holder } = documents.jobQueues.get(_id) ?? { jobs: [], holder: null };
  requireRoom(jobs.length);
  documents.jobQueues.put({ _id, holder, jobs: [...jobs, job._id], revision: randomUUID() });
  documents.jobs.put(job);
}

/** @throws {AppError} `rate_limited` if an account with this many jobs may not begin another one. */
export function requireRoom(unfinished: number): void {
  if (unfinished <= JOBS_WAITING_MAX) return;
  const message = `${JOBS_WAITING_MAX} jobs of this account wait already; wait until one has ended.`;
  throw new AppError('rate_limited', message, { retryAfterSeconds: RETRY_AFTER_SECONDS });
}

/** Returns the job if this replica holds the lease and it is the job's turn, or null. */
export function heldJob({ documents, account }: AccountDraft, jobId: string, holder: string): JobDocument | null {
  const queue = documents.jobQueues.get(account._id);
  if (queue === null || queue.holder !== holder || queue.jobs[0] !== jobId) return null;
  return documents.jobs.get(jobId);
}

/** Writes a job that goes on, and renews the lease. */
export function putJob({ documents, account }: AccountDraft, job: JobDocument): void {
  documents.jobs.put(job);
  documents.jobQueues.put({ ...documents.jobQueues.get(account._id)!, revision: randomUUID() });
}

/** Ends a job, and takes it out of the queue. Returns it. */
export function endJob(draft: AccountDraft, job: JobDocument, state: JobState): JobDocument {
  const over = ended(job, state, draft.now);
  draft.documents.jobs.put(over);
  dequeue(draft, job._id);
  return over;
}

/** Takes a job out of the queue of its account. */
export function dequeue({ documents, account }: AccountDraft, jobId: string): void {
  const queue = documents.jobQueues.get(account._id);
  if (queue === null) return;
  const jobs = queue.jobs.filter((id) => id !== jobId);
  if (jobs.length === 0) documents.jobQueues.remove(account._id);
  else documents.jobQueues.put({ ...queue, jobs, revision: randomUUID() });
}

/** Sets the holder of a queue, or null. Returns false if it is not at this revision or not held by that replica. */
export function setHolder(
  { documents, account }: AccountDraft,
  { revision, holder: before }: { revision?: string; holder?: string },
  holder: string | null,
): boolean {
  const queue = documents.jobQueues.get(account._id);
  if (queue === null || (revision ?? queue.revision) !== queue.revision || (before ?? queue.holder) !== queue.holder)
    return false;
  documents.jobQueues.put({ ...queue, holder, revision: randomUUID() });
  return true;
}
