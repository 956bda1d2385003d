import type { AccountIdentity } from '@waymark/auth';
import type { AccountDraft } from '../changes/account-draft.ts';
import type { JobDocument } from '../database/documents/job.ts';
import { actorOf } from '../events/actor.ts';
import { authorityOf, NO_COUNTS } from './job.ts';
import { enqueue } from './job-queue.ts';

type WorkField = 'filter' | 'change' | 'matched_max' | 'undo_of' | 'file' | 'found' | 'parts' | 'matched';

/** A job that is to begin. */
export interface NewJob {
  id: string;
  /** Who begins it. It has the rights of this identity. */
  identity: AccountIdentity;
  /** What it does, in the fields of its document that differ from job to job. */
  work: Pick<JobDocument, 'kind' | 'dry_run' | 'title'> & Partial<Pick<JobDocument, WorkField>>;
}

/** A job that has begun. */
export interface BegunJob {
  id: string;
}

/**
 * Adds a job to the queue of its account, which must have been read.
 * @throws {AppError} `rate_limited` if too many wait.
 */
export function beginJob(draft: AccountDraft, { id, identity, work }: NewJob): BegunJob {
  const { account, now } = draft;
  const { scope, key } = identity;
  const actor = actorOf(identity, account);
  enqueue(draft, {
    _id: id,
    account_id: account._id,
    state: 'waiting',
    scope,
    ...(key !== undefined && { key: { id: key.id, hashtag: key.hashtag } }),
    actor,
    authority: authorityOf(account, scope, actor),
    ...NO_COUNTS,
    created_at: now,
    started_at: null,
    finished_at: null,
    undo_until: null,
    parts: 0,
    position: 0,
    found: false,
    last_id: '',
    ...work,
  });
  return { id };
}
