import { AppError } from '@waymark/contract';
import type { AccountDraft } from '../changes/account-draft.ts';
import type { Change, ChangeReads } from '../changes/change.ts';
import { decideEach } from '../changes/decide-each.ts';
import type { JobCounts, JobDocument, Refusal, UndoneLink } from '../database/documents/job.ts';
import { mayGoOn, PART_SIZE, partId, RESULTS_LIFETIME_MS, UNDO_LIFETIME_MS } from './job.ts';
import { endJob, heldJob, putJob } from './job-queue.ts';
import type { PartItem } from './part-items.ts';

/** The job after a step, or null if it is not this replica's any more. */
export type StepResult = JobDocument | null;

const ID_BYTES = 48;
/** About how many bytes a job has. */
const JOB_BYTES = 8_192;

/** Returns the step that adds links to a job, in parts. It does nothing if it was done before. */
export function adding(job: JobDocument, ids: readonly string[], isLast: boolean, holder: string): Change<StepResult> {
  const { _id, account_id } = job;
  return {
    accountId: account_id,
    size: 1,
    bytes: ids.length * ID_BYTES,
    reads: () => ({ jobQueues: [account_id], jobs: [_id] }),
    decide: (draft) =>
      step(draft, job, holder, (current) => {
        if (current.parts !== job.parts || current.found) return current;
        let { parts } = current;
        for (let from = 0; from < ids.length; from += PART_SIZE)
          draft.documents.jobParts.put({
            _id: partId(_id, parts++),
            account_id,
            ids: ids.slice(from, from + PART_SIZE),
            refused: [],
            expires_at: after(draft.now, RESULTS_LIFETIME_MS),
          });
        return goOnOrEnd(draft, {
          ...current,
          parts,
          found: isLast,
          last_id: ids.at(-1) ?? current.last_id,
          matched: current.matched + ids.length,
        });
      }),
  };
}

/** What a step does. */
export interface PartWork {
  items: readonly PartItem[];
  reads(): ChangeReads;
  /** About how many bytes it writes. */
  bytes: number;
}

/** Returns the step that does the next part of a job. It does nothing if it was done before. */
export function doing(job: JobDocument, work: PartWork, holder: string): Change<StepResult> {
  const { _id, account_id, position } = job;
  const part = partId(_id, position);
  return {
    accountId: account_id,
    size: Math.max(1, work.items.length),
    bytes: work.bytes,
    reads: () => ({ ...work.reads(), jobQueues: [account_id], jobs: [_id], jobParts: [part] }),
    decide: (draft) =>
      step(draft, job, holder, (current) => {
        if (current.position !== position) return current;
        const counts = doPart(draft, current, work.items);
        return goOnOrEnd(draft, { ...current, ...counts, position: position + 1 });
      }),
  };
}

/** Returns the step that ends a job in which nothing is left, or that failed. */
export function ending(job: JobDocument, state: 'done' | 'failed', holder: string): Change<StepResult> {
  const { _id, account_id } = job;
  return {
    accountId: account_id,
    size: 1,
    bytes: JOB_BYTES,
    reads: () => ({ jobQueues: [account_id], jobs: [_id] }),
    decide: (draft) => step(draft, job, holder, (current) => endJob(draft, current, state)),
  };
}

/** Runs a step of a job that this replica holds. The job fails if what began it lost its rights. */
function step(
  draft: AccountDraft,
  { _id }: JobDocument,
  holder: string,
  work: (current: JobDocument) => JobDocument,
): StepResult {
  const current = heldJob(draft, _id, holder);
  if (current === null) return null;
  if (!mayGoOn(draft.account, current)) return endJob(draft, current, 'failed');
  return work({ ...current, state: 'running', started_at: current.started_at ?? draft.now });
}

function goOnOrEnd(draft: AccountDraft, job: JobDocument): JobDocument {
  if (job.found && job.position >= job.parts) return endJob(draft, job, 'done');
  putJob(draft, job);
  return job;
}

/** Does a part of a job, and keeps what was refused and what undoes it. Returns the new counts. */
function doPart(draft: AccountDraft, job: JobDocument, items: readonly PartItem[]): Omit<JobCounts, 'matched'> {
  const { done, created, changed, deleted, unchanged, refused } = job;
  const counts = { done: done + items.length, created, changed, deleted, unchanged, refused };
  const refusals: Refusal[] = [];
  const undone: UndoneLink[] = [];
  const outcomes = decideEach(draft.documents.undo, items, ({ decide }) => decide(draft, job));
  for (const [position, outcome] of outcomes.entries()) {
    if (outcome instanceof AppError) {
      refusals.push({ id: items[position]!.id, reason: outcome.message });
      counts.refused += 1;
    } else {
      counts[outcome.count] += 1;
      if (outcome.undo !== undefined) undone.push(outcome.undo);
    }
  }
  keepRefused(draft, job, refusals);
  if (job.kind !== 'undo' && undone.length > 0) keepUndo(draft, job, undone);
  return counts;
}

/** Keeps what was refused in place of what was to do. */
function keepRefused({ documents, now }: AccountDraft, { _id, account_id, position }: JobDocument, refused: Refusal[]) {
  const part = partId(_id, position);
  if (refused.length > 0)
    documents.jobParts.put({ _id: part, account_id, ids: [], refused, expires_at: after(now, RESULTS_LIFETIME_MS) });
  else if (documents.jobParts.get(part) !== null) documents.jobParts.remove(part);
}

function keepUndo({ documents, now }: AccountDraft, { _id, account_id, position }: JobDocument, links: UndoneLink[]) {
  const part = partId(_id, position);
  documents.jobUndo.put({ _id: part, account_id, links, expires_at: after(now, UNDO_LIFETIME_MS) });
}

function after(now: Date, lifetimeMs: number): Date {
  return new Date(now.getTime() + lifetimeMs);
}
