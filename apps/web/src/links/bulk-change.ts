import type { BulkOperation, JobChange, JobFilter, Link, UpdateLinkInput } from '@waymark/contract';
import type { NewJob } from '../api/routes.ts';
import type { Counts } from '../jobs/outcome.ts';
import { type BulkCallbacks, type ComparedLink, outcomeOf, runBulk } from './bulk-edit.ts';
import { foldHashtag, splitHashtags } from './link-form-values.ts';

export const BULK_EDITS = ['archive', 'unarchive', 'tag', 'untag', 'visibility', 'delete'] as const;
export type BulkEdit = (typeof BULK_EDITS)[number];

/** What a bulk edit needs to know of a link before it begins. */
export type SelectedLink = Pick<Link, 'id' | 'slug' | 'short_url' | 'visibility'>;

/** The links of a bulk edit: those that were ticked, or those that a filter finds when it begins. */
export type BulkTarget = { links: readonly SelectedLink[] } | { filter: JobFilter; count: number };

/** What the form of a bulk edit holds. Nothing is chosen that nobody chose. */
export interface BulkValues {
  hashtags: string;
  visibility: Link['visibility'] | '';
  password: string;
}

export const NO_VALUES: BulkValues = { hashtags: '', visibility: '', password: '' };

/** Returns the job that does a bulk edit on the links that a filter finds. */
export function jobOf(edit: BulkEdit, values: BulkValues, filter: JobFilter): NewJob {
  if (edit === 'delete') return { kind: 'delete', filter };
  return { kind: 'edit', filter, change: changeOf(edit, values) };
}

function changeOf(edit: Exclude<BulkEdit, 'delete'>, values: BulkValues): JobChange {
  const hashtags = splitHashtags(values.hashtags);
  switch (edit) {
    case 'tag':
      return { add_hashtags: hashtags };
    case 'untag':
      return { remove_hashtags: hashtags };
    case 'visibility':
      return { visibility: chosenVisibility(values) };
    default:
      return { archived: edit === 'archive' };
  }
}

function chosenVisibility({ visibility }: BulkValues): Link['visibility'] {
  if (visibility === '') throw new Error('No visibility was chosen.');
  return visibility;
}

/** What a bulk edit reports while it runs. */
export interface EditCallbacks extends Pick<BulkCallbacks, 'onProgress' | 'signal'> {
  /** Called once for each link. `reason` is why it was refused. */
  onOutcome: (link: SelectedLink, outcome: keyof Counts, reason: string | undefined) => void;
}

/**
 * Edits links that were ticked, because a job cannot name links. Reads them first, because they may have changed since
 * they were shown, and does not update those that need no change.
 * @throws {ApiError} like {@link runBulk}.
 */
export async function editLinks(
  edit: BulkEdit,
  values: BulkValues,
  selected: readonly SelectedLink[],
  { signal, onProgress, onOutcome }: EditCallbacks,
): Promise<void> {
  const pending: { link: SelectedLink; operation: BulkOperation }[] = [];
  if (edit === 'delete') for (const link of selected) pending.push({ link, operation: { op: 'delete', id: link.id } });
  else {
    // An empty update returns the link, and one request can have a hundred of them.
    const reads = selected.map(({ id }): BulkOperation => ({ op: 'update', id, link: {} }));
    await runBulk(reads, {
      signal,
      onProgress: ({ waitSeconds }) => onProgress({ done: 0, total: selected.length, waitSeconds, stoppable: true }),
      onResult: ({ link: now, error }, index) => {
        const link = selected[index]!;
        if (now === undefined) return onOutcome(link, 'refused', error);
        const changes = changesOf(edit, values, now);
        if (isSo(now, changes)) onOutcome(link, 'unchanged', undefined);
        else pending.push({ link, operation: { op: 'update', id: link.id, link: changes } });
      },
    });
  }
  await runBulk(
    pending.map(({ operation }) => operation),
    {
      signal,
      onProgress,
      onResult: (result, index) => onOutcome(pending[index]!.link, outcomeOf(result), result.error),
    },
  );
}

/** Returns the fields that an edit sets. */
function changesOf(edit: BulkEdit, values: BulkValues, { hashtags }: ComparedLink): UpdateLinkInput {
  const tags = splitHashtags(values.hashtags).map(foldHashtag);
  const { password } = values;
  switch (edit) {
    case 'tag':
      return { hashtags: [...new Set([...hashtags, ...tags])] };
    case 'untag':
      return { hashtags: hashtags.filter((tag) => !tags.includes(tag)) };
    case 'visibility':
      return { visibility: chosenVisibility(values), ...(values.visibility === 'password-protected' && { password }) };
    default:
      return { archived: edit === 'archive' };
  }
}

/** Returns true if a link has these values. A password is never known. */
function isSo(link: ComparedLink, changes: UpdateLinkInput): boolean {
  return Object.entries(changes).every(([name, value]) => String(link[name as keyof ComparedLink]) === String(value));
}
