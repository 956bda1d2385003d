import type { JobChange } from '@waymark/contract';
import { AppError } from '@waymark/contract';
import type { AccountDraft } from '../changes/account-draft.ts';
import type { ChangeReads } from '../changes/change.ts';
import { NeededRedirects } from '../changes/needed-redirects.ts';
import type { JobDocument, UndoneLink } from '../database/documents/job.ts';
import type { LinkDocument, LinkFields } from '../database/documents/link.ts';
import { deleteLink, getLink, updateLink } from '../links/link-changes.ts';
import type { ChosenHost } from '../links/link-host.ts';
import { differing, valuesOf } from '../links/link-values.ts';
import type { ShortUrls } from '../slugs/short-urls.ts';
import { scopeOfJob } from './job.ts';
import { fieldsToEdit } from './link-edit.ts';
import { fieldsToRestore } from './link-undo.ts';

/** A link that a job works on, or a row of its file. */
export interface PartItem {
  /** The link's id, or the number of the row. */
  id: string;
  /** Returns what it looks at besides its link. */
  reads?(): ChangeReads;
  /**
   * Does what the job does with it, unless the job is a dry run.
   * @throws {AppError} why it is refused.
   */
  decide(draft: AccountDraft, job: JobDocument): Outcome;
}

/** What became of an item. */
export interface Outcome {
  count: 'created' | 'changed' | 'deleted' | 'unchanged';
  /** What undoes it. */
  undo?: UndoneLink;
}

/** Of an item that is so already. */
export const UNCHANGED: Outcome = { count: 'unchanged' };

/** Returns the deletion of a link. */
export function deletion(id: string): PartItem {
  return {
    id,
    decide(draft, job) {
      const link = linkOf(draft, job, id);
      if (!job.dry_run) deleteLink(draft, link, job.actor);
      return { count: 'deleted' };
    },
  };
}

/** Returns the edit of a link. `host` is the host of the change. */
export function edit(
  id: string,
  change: JobChange,
  host: ChosenHost | undefined,
  shortUrls: Pick<ShortUrls, 'isShortUrl'>,
): PartItem {
  return changing(id, (link) => fieldsToEdit(link, change, host, shortUrls));
}

/** Returns the undo of what a job did with a link. */
export function undoing(undone: UndoneLink): PartItem {
  const { id } = undone;
  if ('changed' in undone) return changing(id, (link) => fieldsToRestore(link, undone.changed));
  return {
    id,
    decide(draft, job) {
      const link = linkOf(draft, job, id);
      if (Object.keys(differing(link, undone.created)).length > 0)
        throw new AppError('invalid', 'The link was changed since the import.');
      deleteLink(draft, link, job.actor);
      return { count: 'deleted' };
    },
  };
}

function changing(id: string, fieldsOf: (link: LinkDocument) => Partial<LinkFields>): PartItem {
  const needed = new NeededRedirects();
  return {
    id,
    reads: () => ({ redirects: needed.ids }),
    decide(draft, job) {
      const link = linkOf(draft, job, id);
      const after = fieldsOf(link);
      if (Object.keys(after).length === 0) return UNCHANGED;
      if (job.dry_run) return { count: 'changed' };
      updateLink(draft, { link, fields: after, needed, actor: job.actor });
      return { count: 'changed', undo: { id, changed: { before: valuesOf(link, after), after } } };
    },
  };
}

function linkOf(draft: AccountDraft, job: JobDocument, id: string): LinkDocument {
  return getLink(draft, scopeOfJob(job), { id });
}
