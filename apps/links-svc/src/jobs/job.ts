import type { AccountIdentity } from '@waymark/auth';
import type { Scope } from '@waymark/contract';
import { includesApi, type Job, type JobChange, type JobFilter, type JobKind, type JobState } from '@waymark/contract';
import type { Filter } from 'mongodb';
import type { AccountDocument } from '../accounts/account.ts';
import type { Actor } from '../events/event.ts';
import type { LinkFields } from '../links/link-fields.ts';
import type { StoredRow } from './import-row.ts';

/** How many links each kind of outcome has. */
export interface JobCounts {
  matched: number;
  done: number;
  created: number;
  changed: number;
  deleted: number;
  unchanged: number;
  refused: number;
}

export const NO_COUNTS: JobCounts = {
  matched: 0,
  done: 0,
  created: 0,
  changed: 0,
  deleted: 0,
  unchanged: 0,
  refused: 0,
};

/** A job as it is stored. */
export interface JobDocument extends JobCounts {
  /** Begins with the account and the time, like that of a link. */
  _id: string;
  account_id: string;
  kind: JobKind;
  state: JobState;
  dry_run: boolean;
  /** The scope of the key that began it. What this key does not see, the job does not see. */
  scope: Scope;
  /** Who began it. Events name it. */
  actor: Actor;
  /** See {@link authorityOf}. */
  authority: number;
  created_at: Date;
  started_at: Date | null;
  finished_at: Date | null;
  undo_until: Date | null;
  /** An index deletes it then. Missing until it is over. */
  expires_at?: Date;
  /** What to do with which links. Both are dropped when the job is over. */
  filter?: JobFilter;
  change?: JobChange;
  /** The job that an undo undoes. */
  undo_of?: string;
  /** How many parts it has so far, and how many of them are done. */
  parts: number;
  position: number;
  /** True once every link is in a part. */
  found: boolean;
  /** The last link that is in a part. */
  last_id: string;
}

/** A part of a job: some of its links or rows, and then those of them that were refused. */
export interface JobPartDocument {
  /** See {@link partId}. */
  _id: string;
  account_id: string;
  /** The links that are still to do. */
  ids: string[];
  /** The rows of an import that are still to do. */
  rows?: ImportedRows;
  refused: Refusal[];
  expires_at: Date;
}

/** Rows of a file. */
export interface ImportedRows {
  list: StoredRow[];
  /** How many are before them. */
  before: number;
}

/** A link that a job refused, or a row of an import. */
export interface Refusal {
  id: string;
  reason: string;
}

/** What undoes a part of a job. */
export interface JobUndoDocument {
  /** See {@link partId}. */
  _id: string;
  account_id: string;
  links: UndoneLink[];
  expires_at: Date;
}

/** A link that a job created, or that it changed. */
export interface UndoneLink {
  id: string;
  /** Missing if the job created it. */
  changed?: ChangedFields;
}

/** The fields of a link that a job changed, as they are stored, before and after. */
export interface ChangedFields {
  before: Partial<LinkFields>;
  after: Partial<LinkFields>;
}

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

/** Selects the jobs that an identity sees: a Full Access key and a session all of the account, another key its own. */
export function visibleJobs({ accountId, scope }: AccountIdentity): Filter<JobDocument> {
  return { account_id: accountId, ...(scope !== 'full_access' && { scope }) };
}

/** Returns true if an identity sees a job that a transaction has read. */
export function seesJob({ accountId, scope }: AccountIdentity, job: JobDocument): boolean {
  return job.account_id === accountId && (scope === 'full_access' || scope === job.scope);
}

/**
 * Returns a number that changes when what began a job loses its rights: when the key is revoked, or all sessions of the
 * account are ended. A rotated key keeps it, and so does the end of one session.
 */
export function authorityOf(account: Pick<AccountDocument, 'sign_outs' | 'revocations'>, scope: Scope, actor: Actor) {
  return (actor.kind === 'session' ? account.sign_outs : account.revocations?.[scope]) ?? 0;
}

/** Returns true if what began a job may still do it. The command line always may. */
export function mayGoOn(account: AccountDocument, { scope, actor, authority }: JobDocument): boolean {
  if (actor.kind === 'admin') return true;
  const hasKey = actor.kind === 'session' || account.keys.some((key) => key.scope === scope);
  return hasKey && includesApi(account.plan) && authorityOf(account, scope, actor) === authority;
}

const UNDOABLE: readonly JobKind[] = ['edit', 'import'];

/** Returns a job that is over, without what it no longer needs. */
export function ended(
  { filter: _filter, change: _change, ...job }: JobDocument,
  state: JobState,
  now: Date,
): JobDocument {
  const isUndoable = UNDOABLE.includes(job.kind) && !job.dry_run;
  const startedMs = (job.started_at ?? now).getTime();
  const undoUntilMs = Math.min(now.getTime() + UNDO_WITHIN_MS, startedMs + UNDO_LIFETIME_MS);
  return {
    ...job,
    state,
    finished_at: now,
    undo_until: isUndoable ? new Date(undoUntilMs) : null,
    expires_at: new Date(now.getTime() + RESULTS_LIFETIME_MS),
  };
}

/** Returns a stored job as REST and MCP show it. */
export function toJob(job: JobDocument): Job {
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
    created_at: job.created_at.toISOString(),
    finished_at: job.finished_at?.toISOString() ?? null,
    undo_until: job.undo_until?.toISOString() ?? null,
  };
}
