import type { JobChange, JobFilter, Link } from '@waymark/contract';
import { splitHashtags } from '../hashtags/hashtag-text.ts';
import type { BoundedJob } from '../jobs/use-bounded-job.ts';

export type BulkEdit = 'archive' | 'unarchive' | 'tag' | 'untag' | 'visibility' | 'delete';

/** The links of a bulk edit: those that a filter finds when it begins. */
export interface BulkTarget {
  filter: JobFilter;
  /** How many of them the user saw. The job begins only if there are no more by then. */
  count: number;
  /** Those that were ticked, if `filter` names them. */
  ticked: readonly Pick<Link, 'visibility'>[] | null;
}

/** What the form of a bulk edit holds. Nothing is chosen that nobody chose. */
export interface BulkValues {
  hashtags: string;
  visibility: Link['visibility'] | '';
}

export const NO_VALUES: BulkValues = { hashtags: '', visibility: '' };

/** Returns the job that does a bulk edit on at most `max` links. */
export function jobOf(edit: BulkEdit, values: BulkValues, filter: JobFilter, max: number): BoundedJob {
  const common = { filter, matched_max: max };
  return edit === 'delete'
    ? { kind: 'delete', ...common }
    : { kind: 'edit', change: changeOf(edit, values), ...common };
}

function changeOf(edit: Exclude<BulkEdit, 'delete'>, { hashtags, visibility }: BulkValues): JobChange {
  switch (edit) {
    case 'tag':
      return { add_hashtags: splitHashtags(hashtags) };
    case 'untag':
      return { remove_hashtags: splitHashtags(hashtags) };
    case 'visibility':
      return visibility === '' ? {} : { visibility };
    default:
      return { archived: edit === 'archive' };
  }
}
