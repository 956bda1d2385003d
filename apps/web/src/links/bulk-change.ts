import type { Link } from '../api/client.ts';
import type { JobFilter, JobInput } from '../jobs/jobs.ts';
import type { BulkOperation } from './bulk-edit.ts';
import { foldHashtag, splitHashtags } from './link-form-values.ts';
import { readHashtags } from './matching-links.ts';

export const BULK_EDITS = ['archive', 'unarchive', 'tag', 'untag', 'visibility', 'delete'] as const;
export type BulkEdit = (typeof BULK_EDITS)[number];

/** What a bulk edit needs to know of a link before it begins. */
export type SelectedLink = Pick<Link, 'id' | 'slug'>;

/** The links of a bulk edit: those that were ticked, or those that a filter finds when it begins. */
export type BulkTarget = { links: readonly SelectedLink[] } | { filter: JobFilter; count: number };

/** What the form of a bulk edit holds. */
export interface BulkValues {
  hashtags: string;
  visibility: Link['visibility'];
  password: string;
}

/** Returns the job that does a bulk edit on the links that a filter finds. */
export function jobOf(edit: BulkEdit, values: BulkValues, filter: JobFilter): JobInput {
  if (edit === 'delete') return { kind: 'delete', filter };
  const hashtags = splitHashtags(values.hashtags);
  const changes = {
    archive: { archived: true },
    unarchive: { archived: false },
    tag: { add_hashtags: hashtags },
    untag: { remove_hashtags: hashtags },
    visibility: { visibility: values.visibility },
  };
  return { kind: 'edit', filter, change: changes[edit] };
}

/**
 * Returns the operations that do a bulk edit on links that were ticked: a job cannot name them. Reads hashtags again:
 * they may have changed since the selection.
 */
export async function operationsOf(
  edit: BulkEdit,
  { hashtags, visibility, password }: BulkValues,
  selected: readonly SelectedLink[],
  signal: AbortSignal,
): Promise<BulkOperation[]> {
  const tags = splitHashtags(hashtags).map(foldHashtag);
  const removed = new Set(tags);
  const ids = selected.map(({ id }) => id);
  const now = edit === 'tag' || edit === 'untag' ? await readHashtags(ids, signal) : null;
  return ids.map((id): BulkOperation => {
    const present = now?.get(id) ?? [];
    if (edit === 'delete') return { op: 'delete', id };
    if (edit === 'tag') return { op: 'update', id, link: { hashtags: [...present, ...tags] } };
    if (edit === 'untag') return { op: 'update', id, link: { hashtags: present.filter((tag) => !removed.has(tag)) } };
    if (edit === 'visibility')
      return { op: 'update', id, link: { visibility, ...(visibility === 'password-protected' && { password }) } };
    return { op: 'update', id, link: { archived: edit === 'archive' } };
  });
}
