import { HASHTAG_SENT_MAX_LENGTH, HASHTAGS_MAX, hashtagOfTag, normalizeHashtags } from '@waymark/contract';
import { RowError } from '../rows/row.ts';
import { LIST_MAX } from '../sizes.ts';
import { listOfCell } from './lists.ts';
import { isBlank, shown, textOf } from './values.ts';

/**
 * Returns tags as hashtags: the first 20. Characters that a hashtag cannot have, such as
 * spaces, become `-`.
 * @throws {RowError} if there are too many, or one is much too long.
 */
export function hashtagsOf(value: unknown, column: string): string[] {
  const tags = listOfCell(value) ?? textOf(value, column).split(/[,|;]/);
  if (tags.length > LIST_MAX) throw new RowError(`The column ${shown(column)} has more than ${LIST_MAX} values.`);
  const names = tags.map(nameOf).filter((tag) => !isBlank(tag));
  const hashtags = names.map((tag) => hashtag(textOf(tag, column))).filter((tag) => tag !== null);
  return normalizeHashtags(hashtags).slice(0, HASHTAGS_MAX);
}

/** Dub gives tags as objects. */
function nameOf(tag: unknown): unknown {
  return typeof tag === 'object' && tag !== null && Object.hasOwn(tag, 'name') ? (tag as { name: unknown }).name : tag;
}

function hashtag(tag: string): string | null {
  if (tag.length > HASHTAG_SENT_MAX_LENGTH) throw new RowError(`The tag ${shown(tag)} is too long.`);
  return hashtagOfTag(tag);
}
