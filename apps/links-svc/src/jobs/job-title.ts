import {
  foldHashtag,
  JOB_TITLE_MAX_LENGTH,
  type JobChange,
  type JobFilter,
  type JobInput,
  type LinkFileFormat,
  normalizeHashtags,
  timeOfMoment,
} from '@waymark/contract';

/** How much of a text, and how many hashtags, a title shows. */
const TEXT_MAX = 40;
const HASHTAGS_SHOWN = 3;
/** No link was created before 1970, so "created since" it says nothing. */
const EARLIEST_CREATION = 0;

/** Returns what an edit or a deletion does, in words: "#promo added to links with #spring". */
export function titleOf({ kind, filter, change }: JobInput): string {
  const links = linksOf(filter);
  if (kind === 'delete') return finished(`${links} deleted`);
  const { archived, ...others } = change;
  const parts = wordsOf(CHANGES, others);
  if (archived !== undefined) {
    const done = archived ? 'archived' : 'unarchived';
    if (parts.length === 0) return finished(`${links} ${done}`);
    parts.unshift([done, 'in']);
  }
  return finished(`${parts.map(([words]) => words).join(', ')} ${parts.at(-1)![1]} ${links}`);
}

/** Returns the title of the undo of a job. */
export function undoTitleOf(undone: string): string {
  return finished(`Undo: ${undone}`);
}

/** Returns the title of an import: the name of its file, or its format. */
export function importTitleOf(name: string | undefined, format: LinkFileFormat | 'auto'): string {
  return name ?? (format === 'auto' ? 'Import of a file' : `Import of a ${format} file`);
}

type Sent<Fields, Name extends keyof Fields> = Exclude<Fields[Name], undefined>;

/** What a change does, and the preposition before the links. */
type ChangeWords = [words: string, preposition: 'to' | 'from' | 'in'];

const CHANGES: { [Name in Exclude<keyof JobChange, 'archived'>]-?: (value: Sent<JobChange, Name>) => ChangeWords } = {
  host: (value) => [`host set to ${value ?? 'the default host'}`, 'in'],
  destination_url: setting('destination'),
  title: setting('title'),
  description: setting('description'),
  // Only whether a note changed is shown, as in events.
  note: () => ['note changed', 'in'],
  hashtags: (value) => (value?.length ? [`hashtags set to ${tags(value)}`, 'in'] : ['hashtags removed', 'from']),
  visibility: (value) => [`visibility set to ${value}`, 'in'],
  expires_at: setting('expiry'),
  expired_url: setting('destination after expiry'),
  max_clicks: (value) =>
    value === null ? ['limit of clicks removed', 'from'] : [`limit of clicks set to ${value}`, 'in'],
  redirect_code: (value) => [`redirects set to ${value}`, 'in'],
  rules: (value) => (value?.length ? ['rules set', 'in'] : ['rules removed', 'from']),
  social_title: setting('title of previews'),
  social_description: setting('description of previews'),
  social_image_url: setting('image of previews'),
  managed_by: setting('managed_by'),
  replace_hashtag: ({ from, to }) => [`${tag(from)} replaced by ${tag(to)}`, 'in'],
  remove_hashtags: (value) => [`${tags(value)} removed`, 'from'],
  add_hashtags: (value) => [`${tags(value)} added`, 'to'],
  replace_host: ({ from, to }) => [`host ${cut(from)} replaced by ${cut(to)}`, 'in'],
};

const CONDITIONS: {
  [Name in Exclude<keyof JobFilter, 'all' | 'ids'>]-?: (value: Sent<JobFilter, Name>) => string;
} = {
  q: (value) => `matching "${cut(value)}"`,
  hashtag: (value) => `with ${tag(value)}`,
  visibility: (value) => `that are ${value}`,
  domain: (value) => `to ${cut(value)}`,
  archived: (value) => ({ true: 'that are archived', any: 'archived or not', false: 'that are not archived' })[value],
  host: (value) => `on ${cut(value)}`,
  managed_by: (value) => `managed by ${value}`,
  created_before: (value) => `created before ${value}`,
  created_after: (value) => `created since ${value}`,
  expired: (value) => (value === 'true' ? 'that have expired' : 'that have not expired'),
  destination_url: (value) => `to ${cut(value)}`,
  health: (value) => (value === 'unknown' ? 'whose health is unknown' : `whose destination is ${value}`),
  last_clicked_before: (value) => `not clicked since ${value}`,
};

function linksOf({ all, ids, ...filters }: JobFilter): string {
  if (all) return 'all links';
  if (ids !== undefined) return linkCount(new Set(ids).size);
  const { q, created_after, ...others } = filters;
  const search = q !== undefined && q.trim() !== '' && { q };
  const narrows = created_after === undefined || timeOfMoment(created_after)!.getTime() > EARLIEST_CREATION;
  const since = narrows ? { created_after } : { archived: 'false', ...others };
  return `links ${wordsOf(CONDITIONS, { ...search, ...others, ...since }).join(', ')}`;
}

/** Returns the words of the fields that were sent, in the order of the table: gRPC does not keep that of JSON. */
function wordsOf<Words>(table: Record<string, (value: never) => Words>, sent: Record<string, unknown>): Words[] {
  return Object.entries(table).flatMap(([name, words]) =>
    sent[name] === undefined ? [] : [words(sent[name] as never)],
  );
}

function linkCount(count: number): string {
  return count === 1 ? '1 link' : `${count} links`;
}

function setting(name: string): (value: string | null) => ChangeWords {
  return (value) => (value ? [`${name} set to ${cut(value)}`, 'in'] : [`${name} removed`, 'from']);
}

function tag(hashtag: string): string {
  return `#${foldHashtag(hashtag)}`;
}

function tags(hashtags: readonly string[]): string {
  const names = normalizeHashtags(hashtags);
  const shown = names.slice(0, HASHTAGS_SHOWN).map((name) => `#${name}`);
  return names.length > HASHTAGS_SHOWN
    ? `${shown.join(', ')} and ${names.length - HASHTAGS_SHOWN} more`
    : shown.join(', ');
}

function finished(title: string): string {
  return cut(title.charAt(0).toUpperCase() + title.slice(1), JOB_TITLE_MAX_LENGTH);
}

/** Returns a text on one line, with at most this many code points. */
function cut(text: string, max = TEXT_MAX): string {
  const characters = [...text.replace(/\s+/g, ' ')];
  return characters.length <= max ? characters.join('') : `${characters.slice(0, max - 1).join('')}…`;
}
