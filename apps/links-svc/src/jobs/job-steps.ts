import { AppError, JOB_EXAMPLES_MAX, JOB_REFUSALS_MAX } from '@waymark/contract';
import type { AccountDraft } from '../changes/account-draft.ts';
import type { Change, ChangeReads } from '../changes/change.ts';
import { decideEach } from '../changes/decide-each.ts';
import type { JobCounts, JobDocument, Refusal, UndoneLink } from '../database/documents/job.ts';
import { type JobEnd, lostRights, PART_SIZE, partId, RESULTS_LIFETIME_MS, UNDO_LIFETIME_MS } from './job.ts';
import { currentJob, endJob, type HeldJob, renewLease } from './job-queue.ts';
import type { PartItem } from './part-items.ts';

/** The job after a step, or null if it is not this replica's any more. */
export type StepResult = JobDocument | null;

const ID_BYTES = 48;
/** About how many bytes a job has. */
const JOB_BYTES = 8_192;

/** What a job found of the links that it works on, from where it looked last. */
export interface FoundLinks {
  /** Ascending. */
  ids: readonly string[];
  /** How many archived links match too. */
  archived: number;
  /** The link behind which to go on: the last one that was looked at. */
  lastId: string;
  /** True if no link is behind it. */
  isLast: boolean;
}

/** Returns the step that adds links to a job, in parts. It does nothing if it was done before. */
export function adding(held: HeldJob, { ids, archived, lastId, isLast }: FoundLinks): Change<StepResult> {
  const { _id, account_id, last_id } = held.job;
  return {
    accountId: account_id,
    size: 1,
    bytes: JOB_BYTES + ids.length * ID_BYTES,
    reads: () => ({ jobQueues: [account_id], jobs: [_id] }),
    decide: (draft) =>
      step(draft, held, (current) => {
        if (current.last_id !== last_id || current.found) return current;
        const matched = current.matched + ids.length;
        const { matched_max } = current;
        if (matched_max !== undefined && matched > matched_max)
          return endJob(draft, { ...current, matched }, { state: 'failed', notice: tooManyMatch(matched_max) });
        let { parts } = current;
        for (let from = 0; from < ids.length; from += PART_SIZE)
          draft.documents.jobParts.put({
            _id: partId(_id, parts++),
            account_id,
            ids: ids.slice(from, from + PART_SIZE),
            refused: [],
            expires_at: after(draft.now, RESULTS_LIFETIME_MS),
          });
        const withArchived = { ...current, archived: (current.archived ?? 0) + archived };
        return goOnOrEnd(draft, { ...withArchived, parts, found: isLast, last_id: lastId, matched });
      }),
  };
}

function tooManyMatch(max: number): string {
  return `More links match than the ${max} that "matched_max" allows, so nothing was done; look at the links again.`;
}

/** What a step does with the links or rows of a part. */
export interface PartWork {
  items: readonly PartItem[];
  /** How many rows are refused besides, and only counted. */
  unlisted: number;
  reads(): ChangeReads;
  /** About how many bytes it writes. */
  bytes: number;
}

/** Returns the step that does the next part of a job. It does nothing if it was done before. */
export function doing(held: HeldJob, work: PartWork): Change<StepResult> {
  const { _id, account_id, position } = held.job;
  const part = partId(_id, position);
  return {
    accountId: account_id,
    size: Math.max(1, work.items.length),
    bytes: work.bytes,
    reads: () => ({ ...work.reads(), jobQueues: [account_id], jobs: [_id], jobParts: [part] }),
    decide: (draft) =>
      step(draft, held, (current) => {
        if (current.position !== position) return current;
        const counts = doPart(draft, current, work);
        return goOnOrEnd(draft, { ...current, ...counts, position: position + 1 });
      }),
  };
}

/** Returns the step that ends a job in which nothing is left, or that failed. */
export function ending(held: HeldJob, end: JobEnd): Change<StepResult> {
  const { _id, account_id } = held.job;
  return {
    accountId: account_id,
    size: 1,
    bytes: JOB_BYTES,
    reads: () => ({ jobQueues: [account_id], jobs: [_id] }),
    decide: (draft) => step(draft, held, (current) => endJob(draft, current, end)),
  };
}

/** Runs a step of a job that this replica holds, and renews the lease. The job fails if what began it lost its rights. */
function step(draft: AccountDraft, held: HeldJob, work: (current: JobDocument) => JobDocument): StepResult {
  const current = currentJob(draft, held);
  if (current === null) return null;
  const notice = lostRights(draft.account, current);
  const after =
    notice === null
      ? work({ ...current, state: 'running', started_at: current.started_at ?? draft.now })
      : endJob(draft, current, { state: 'failed', notice });
  renewLease(draft);
  return after;
}

function goOnOrEnd(draft: AccountDraft, job: JobDocument): JobDocument {
  if (job.found && job.position >= job.parts) return endJob(draft, job, { state: 'done' });
  draft.documents.jobs.put(job);
  return job;
}

type DonePart = Omit<JobCounts, 'matched'> & Pick<JobDocument, 'examples'>;

/** Does a part of a job, and keeps what was refused and what undoes it. Returns the new counts. */
function doPart(draft: AccountDraft, job: JobDocument, { items, unlisted }: PartWork): DonePart {
  const { done, created, changed, deleted, unchanged, refused } = job;
  const counts = {
    done: done + items.length + unlisted,
    ...{ created, changed, deleted, unchanged },
    refused: refused + unlisted,
  };
  const refusals: Refusal[] = [];
  const undone: UndoneLink[] = [];
  const examples = [...(job.examples ?? [])];
  const outcomes = decideEach(draft.documents.undo, items, ({ decide }) => decide(draft, job));
  for (const [position, outcome] of outcomes.entries()) {
    if (outcome instanceof AppError) {
      refusals.push({ id: items[position]!.id, reason: outcome.message });
      counts.refused += 1;
    } else {
      counts[outcome.count] += 1;
      if (outcome.count !== 'unchanged' && examples.length < JOB_EXAMPLES_MAX) examples.push(items[position]!.id);
      if (outcome.undo !== undefined) undone.push(outcome.undo);
    }
  }
  keepRefused(draft, job, refusals);
  if (job.kind !== 'undo' && undone.length > 0) keepUndo(draft, job, undone);
  return { ...counts, ...(job.dry_run && { examples }) };
}

/** Keeps what was refused in place of what was to do, unless the job has kept as much as it may. */
function keepRefused({ documents, now }: AccountDraft, job: JobDocument, refusals: Refusal[]) {
  const { _id, account_id, position } = job;
  const part = partId(_id, position);
  const refused = refusals.slice(0, Math.max(0, JOB_REFUSALS_MAX - job.refused));
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
