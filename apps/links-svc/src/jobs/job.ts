import type { AccountIdentity } from '@waymark/auth';
import type { Scope } from '@waymark/contract';
import { includesApi, JOB_REFUSALS_MAX, type Job, type JobKind, noticeOf } from '@waymark/contract';
import type { Filter } from 'mongodb';
import type { AccountDocument } from '../database/documents/account.ts';
import type { Actor } from '../database/documents/event.ts';
import type { JobCounts, JobDocument } from '../database/documents/job.ts';
import { keyOf, restrictedKeyOf } from '../database/documents/stored-keys.ts';
import { LinkScope } from '../links/link-scope.ts';
import { archivedNotice } from '../lists/list-notice.ts';

export const NO_COUNTS: JobCounts = {
  matched: 0,
  done: 0,
  created: 0,
  changed: 0,
  deleted: 0,
  unchanged: 0,
  refused: 0,
};

/** How many links a part has. A part is one transaction, and others wait for it. */
export const PART_SIZE = 100;

const DAY_MS = 24 * 3_600_000;
export const RESULTS_LIFETIME_MS = 30 * DAY_MS;
/** How long what undoes a job is kept. A job that takes longer than a day can be undone for less than a day. */
export const UNDO_LIFETIME_MS = 2 * DAY_MS;
const UNDO_WITHIN_MS = DAY_MS;

const PART_DIGITS = 6;

/** Returns the id of a part of a job. Ids sort by position. */
export function partId(jobId: string, position: number): string {
  return `${jobId}:${String(position).padStart(PART_DIGITS, '0')}`;
}

/** Selects the ids of all parts of a job from this position on. */
export function partsFrom(jobId: string, position: number): { $gt: string; $lt: string } {
  return { $gt: position === 0 ? `${jobId}:` : partId(jobId, position - 1), $lt: `${jobId};` };
}

/**
 * Selects the jobs that an identity sees: a Full Access key and a session all of the account, a Public Links Only key those
 * of its scope, and a restricted key with a hashtag its own.
 */
export function visibleJobs({ accountId, scope, key }: AccountIdentity): Filter<JobDocument> {
  const isOwn = key !== undefined && key.hashtag !== null;
  return { account_id: accountId, ...(scope !== 'full_access' && { scope }), ...(isOwn && { 'key.id': key.id }) };
}

/** Returns true if an identity sees a job that a transaction has read. */
export function seesJob({ accountId, scope, key }: AccountIdentity, job: JobDocument): boolean {
  if (job.account_id !== accountId || (scope !== 'full_access' && scope !== job.scope)) return false;
  return key === undefined || key.hashtag === null || key.id === job.key?.id;
}

/** Returns the links that exist for a job. */
export function scopeOfJob({ account_id, scope, key }: Pick<JobDocument, 'account_id' | 'scope' | 'key'>): LinkScope {
  return new LinkScope({ accountId: account_id, scope, key });
}

/**
 * Returns a number that changes when what began a job loses its rights: when the key is revoked, or all sessions of the
 * account are ended. A rotated key keeps it, and so does the end of one session.
 */
export function authorityOf(account: Pick<AccountDocument, 'sign_outs' | 'revocations'>, scope: Scope, actor: Actor) {
  return actor.kind === 'session' ? account.sign_outs : account.revocations[scope];
}

/** Returns why what began a job may not do it any more, or null if it may. The command line always may. */
export function lostRights(account: AccountDocument, { scope, key, actor, authority }: JobDocument): string | null {
  if (actor.kind === 'admin') return null;
  if (!includesApi(account.plan)) return 'The plan of the account no longer includes the API.';
  const isSame = authorityOf(account, scope, actor) === authority;
  if (actor.kind === 'session')
    return isSame ? null : 'All sessions of the account were ended, and a session began this job.';
  const stored = key === undefined ? keyOf(account.keys, scope) : restrictedKeyOf(account.keys, key.id);
  const hasKey = stored !== undefined;
  return hasKey && isSame ? null : 'The key that began this job was revoked.';
}

/** How a job ends. */
export type JobEnd =
  | { state: 'done' | 'cancelled' }
  /** `notice` says why. */
  | { state: 'failed'; notice: string };

const UNDOABLE: readonly JobKind[] = ['edit', 'import'];

/** Returns a job that is over, without what it no longer needs. */
export function ended({ filter: _filter, change: _change, ...job }: JobDocument, end: JobEnd, now: Date): JobDocument {
  const isUndoable = UNDOABLE.includes(job.kind) && !job.dry_run && job.created + job.changed > 0;
  const startedMs = (job.started_at ?? now).getTime();
  const undoUntilMs = Math.min(now.getTime() + UNDO_WITHIN_MS, startedMs + UNDO_LIFETIME_MS);
  return {
    ...job,
    ...end,
    finished_at: now,
    undo_until: isUndoable ? new Date(undoUntilMs) : null,
    expires_at: new Date(now.getTime() + RESULTS_LIFETIME_MS),
  };
}

/** Returns a stored job as REST and MCP show it to an identity. */
export function toJob(job: JobDocument, { scope }: Pick<AccountIdentity, 'scope'>): Job {
  return {
    id: job._id,
    kind: job.kind,
    state: job.state,
    dry_run: job.dry_run,
    matched: job.matched,
    done: job.done,
    created: job.created,
    changed: job.changed,
    deleted: job.deleted,
    unchanged: job.unchanged,
    refused: job.refused,
    title: job.title ?? job.kind,
    actor: scope === 'full_access' ? job.actor : null,
    created_at: job.created_at.toISOString(),
    finished_at: job.finished_at?.toISOString() ?? null,
    undo_until: job.undo_until?.toISOString() ?? null,
    ...job.file,
    ...noticeOf([job.notice, job.found ? archivedNotice(job.archived ?? 0) : undefined, unlistedNotice(job)]),
  };
}

function unlistedNotice({ refused }: JobDocument): string | undefined {
  const unlisted = refused - JOB_REFUSALS_MAX;
  if (unlisted <= 0) return undefined;
  const [kept, more] = [JOB_REFUSALS_MAX, unlisted].map((count) => count.toLocaleString('en'));
  return `A job keeps its first ${kept} refusals; ${more} more ${unlisted === 1 ? 'is' : 'are'} only counted.`;
}
