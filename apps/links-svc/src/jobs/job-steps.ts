import { AppError } from '@waymark/contract';
import type { AccountDraft } from '../changes/account-draft.ts';
import type { Change } from '../changes/change.ts';
import type { LinkDocument } from '../links/link.ts';
import { deleteLink, getLink, LINK_CHANGE_BYTES, updateLink } from '../links/link-changes.ts';
import type { LinkFields } from '../links/link-fields.ts';
import { LinkScope } from '../links/link-scope.ts';
import {
  type ChangedLink,
  type JobDocument,
  mayGoOn,
  PART_SIZE,
  partId,
  RESULTS_LIFETIME_MS,
  type RefusedLink,
  UNDO_LIFETIME_MS,
} from './job.ts';
import { endJob, heldJob, putJob } from './job-queue.ts';
import { valuesOf } from './link-edit.ts';

/** The job after a step, or null if it is not this replica's any more. */
export type StepResult = JobDocument | null;

const ID_BYTES = 48;

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

/** What a step does with the links of its part. */
export interface PartWork {
  ids: readonly string[];
  /** Returns the fields to change, or throws why the link is refused. Missing if the links are to be deleted. */
  fieldsOf?: (link: LinkDocument) => Partial<LinkFields>;
}

/** Returns the step that does the next part of a job. It does nothing if it was done before. */
export function doing(job: JobDocument, work: PartWork, holder: string): Change<StepResult> {
  const { _id, account_id, position } = job;
  const part = partId(_id, position);
  return {
    accountId: account_id,
    size: Math.max(1, work.ids.length),
    bytes: work.ids.length * (LINK_CHANGE_BYTES + 2 * JSON.stringify(job.change ?? '').length),
    reads: () => ({ jobQueues: [account_id], jobs: [_id], jobParts: [part], links: work.ids }),
    decide: (draft) =>
      step(draft, job, holder, (current) => {
        if (current.position !== position) return current;
        const counts = doPart(draft, current, work);
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
    bytes: LINK_CHANGE_BYTES,
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

type Outcome = 'changed' | 'deleted' | 'unchanged' | 'refused';

/** Does a part of a job, and keeps what was refused and what undoes it. Returns the new counts. */
function doPart(
  draft: AccountDraft,
  job: JobDocument,
  { ids, fieldsOf }: PartWork,
): Pick<JobDocument, Outcome | 'done'> {
  const { done, changed, deleted, unchanged, refused } = job;
  const counts = { done: done + ids.length, changed, deleted, unchanged, refused };
  const scope = new LinkScope({ accountId: job.account_id, scope: job.scope });
  const refusedLinks: RefusedLink[] = [];
  const changedLinks: ChangedLink[] = [];
  const doLink = (link: LinkDocument): Outcome => {
    if (fieldsOf === undefined) {
      if (!job.dry_run) deleteLink(draft, link, job.actor);
      return 'deleted';
    }
    const fields = fieldsOf(link);
    if (Object.keys(fields).length === 0) return 'unchanged';
    if (job.dry_run) return 'changed';
    changedLinks.push({ id: link._id, before: valuesOf(link, fields), after: fields });
    updateLink(draft, link, fields, job.actor);
    return 'changed';
  };
  for (const id of ids) {
    try {
      counts[doLink(getLink(draft, scope, { id }))] += 1;
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      refusedLinks.push({ id, reason: error.message });
      counts.refused += 1;
    }
  }
  keepRefused(draft, job, refusedLinks);
  if (job.kind === 'edit' && changedLinks.length > 0) keepUndo(draft, job, changedLinks);
  return counts;
}

/** Keeps the links that were refused in place of the links that were to do. */
function keepRefused(
  { documents, now }: AccountDraft,
  { _id, account_id, position }: JobDocument,
  refused: RefusedLink[],
) {
  const part = partId(_id, position);
  if (refused.length > 0)
    documents.jobParts.put({ _id: part, account_id, ids: [], refused, expires_at: after(now, RESULTS_LIFETIME_MS) });
  else if (documents.jobParts.get(part) !== null) documents.jobParts.remove(part);
}

function keepUndo({ documents, now }: AccountDraft, { _id, account_id, position }: JobDocument, links: ChangedLink[]) {
  const part = partId(_id, position);
  documents.jobUndo.put({ _id: part, account_id, links, expires_at: after(now, UNDO_LIFETIME_MS) });
}

function after(now: Date, lifetimeMs: number): Date {
  return new Date(now.getTime() + lifetimeMs);
}
