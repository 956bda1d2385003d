import { randomUUID } from 'node:crypto';
import { AppError, JOBS_WAITING_MAX } from '@waymark/contract';
import type { AccountDraft } from '../changes/account-draft.ts';
import type { JobDocument } from '../database/documents/job.ts';
import type { JobQueueDocument } from '../database/documents/job-queue.ts';
import { ended, type JobEnd } from './job.ts';

const RETRY_AFTER_SECONDS = 10;

/** A job as a replica knows it that works on its queue. */
export interface HeldJob {
  job: JobDocument;
  /** The replica. */
  holder: string;
}

/**
 * Adds a job to the queue of its account, which must have been read.
 * @throws {AppError} `rate_limited` if too many wait.
 */
export function enqueue(draft: AccountDraft, job: JobDocument): void {
  const { documents, account } = draft;
  const queue = documents.jobQueues.get(account._id) ?? newQueue(account._id);
  requireRoom(queue.jobs.length);
  putQueue(draft, { ...queue, jobs: [...queue.jobs, job._id] });
  documents.jobs.put(job);
}

/** @throws {AppError} `rate_limited` if an account with this many jobs may not begin another one. */
export function requireRoom(unfinished: number): void {
  if (unfinished <= JOBS_WAITING_MAX) return;
  const message = `${JOBS_WAITING_MAX} jobs of this account wait already; wait until one has ended.`;
  throw new AppError('rate_limited', message, { retryAfterSeconds: RETRY_AFTER_SECONDS });
}

/** Ends a job, and takes it out of the queue. Returns it. */
export function endJob(draft: AccountDraft, job: JobDocument, end: JobEnd): JobDocument {
  const { documents, account } = draft;
  const over = ended(job, end, draft.now);
  documents.jobs.put(over);
  const queue = documents.jobQueues.get(account._id);
  if (queue === null) return over;
  const jobs = queue.jobs.filter((id) => id !== job._id);
  if (jobs.length === 0) documents.jobQueues.remove(account._id);
  else putQueue(draft, { ...queue, jobs });
  return over;
}

/** Takes the lease on a queue if it is as it was seen. Returns false if it is not. */
export function takeQueue(draft: AccountDraft, { seenBeat, holder }: { seenBeat: string; holder: string }): boolean {
  const queue = draft.documents.jobQueues.get(draft.account._id);
  if (queue === null || queue.beat !== seenBeat) return false;
  putQueue(draft, { ...queue, holder, beat: randomUUID() });
  return true;
}

/** Returns the job as it is if the replica holds the lease and it is the job's turn, or null. */
export function currentJob({ documents, account }: AccountDraft, { job, holder }: HeldJob): JobDocument | null {
  const queue = documents.jobQueues.get(account._id);
  if (queue === null || queue.holder !== holder || queue.jobs[0] !== job._id) return null;
  return documents.jobs.get(job._id);
}

/** Renews the lease on a queue, unless it is empty by now. Only for its holder. */
export function renewLease(draft: AccountDraft): void {
  const queue = draft.documents.jobQueues.get(draft.account._id);
  if (queue !== null) putQueue(draft, { ...queue, beat: randomUUID() });
}

/** Gives the lease on a queue back, if the replica still holds it. */
export function releaseQueue(draft: AccountDraft, holder: string): void {
  const queue = draft.documents.jobQueues.get(draft.account._id);
  if (queue?.holder === holder) putQueue(draft, { ...queue, holder: null });
}

function newQueue(_id: string): JobQueueDocument {
  return { _id, holder: null, beat: randomUUID(), jobs: [], revision: '' };
}

function putQueue({ documents }: AccountDraft, queue: JobQueueDocument): void {
  documents.jobQueues.put({ ...queue, revision: randomUUID() });
}
