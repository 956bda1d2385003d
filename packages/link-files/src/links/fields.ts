import { UpdateLinkInput } from '@waymark/contract';
import { isWordOf, type Meaning, wordsOf } from './words.ts';

/**
 * The names that the fields of a link have in the exports of Waymark, Bitly, Dub, Kutt, Shlink, YOURLS and others, as
 * {@link normalizedName} returns them. The first one that a row has is used, but the earliest expiry.
 */
const NAMES: Record<string, readonly string[]> = {
  destination_url: ['destinationurl', 'longurl', 'originalurl', 'targeturl', 'target', 'destination', 'url'],
  slug: [
    'slug',
    'custombitlinks',
    'customlink',
    'backhalf',
    'shortcode',
    'keyword',
    'key',
    'address',
    'slashtag',
    'alias',
    'customalias',
    'shortid',
    'vanity',
    'tinyurl',
    'code',
    'path',
    'hash',
    'bitlink',
    'shorturl',
    'shortlink',
    'link',
    'secureshorturl',
    'source',
    'customslug',
    'customcode',
    'custompath',
    'customurl',
    'vanityurl',
    'urlcode',
    'linkcode',
    'shortkey',
    'shortpath',
    'shorthash',
    'short',
  ],
  note: ['note', 'comments', 'comment', 'notes'],
  hashtags: ['hashtags', 'tags', 'tag'],
  created_at: ['createdat', 'datecreated', 'created', 'timestamp', 'creationdate', 'date'],
};

/** The fields that a file may set: those of a link that clients may set, without the password, and the creation time. */
export const FIELDS: readonly string[] = [
  ...Object.keys(UpdateLinkInput.properties).filter((name) => name !== 'password'),
  'created_at',
];

/** The fields that close a link. If a file has them, they cannot be ignored. */
export const CLOSING_FIELDS: readonly string[] = ['visibility', 'expires_at'];

/** The names of the destination, for messages. */
export const DESTINATION_NAMES = 'destination_url, long_url, original_url, target, destination or url';

const POSITIONS = new Map(
  FIELDS.flatMap((field) => namesOf(field).map((name, position) => [name, { field, position }] as const)),
);

function namesOf(field: string): readonly string[] {
  return NAMES[field] ?? [normalizedName(field)];
}

/** Returns the field that a column of this name has, and how many other names of the field come first. */
export function fieldOfColumn(name: string): { field: string; position: number } | null {
  const known = POSITIONS.get(normalizedName(name));
  if (known !== undefined) return known;
  const words = wordsOf(name);
  const field = isExpiry(words) ? 'expires_at' : isHost(words) ? 'host' : null;
  return field === null ? null : { field, position: 1 };
}

/** Returns true for names such as `domain`, `short host` and `customDomain`, but not for `url_host` and `domain_id`. */
function isHost(words: readonly string[]): boolean {
  const isPart = (word: string) => isWordOf('host', word) || isWordOf('hostPart', word) || isWordOf('filler', word);
  return words.some((word) => isWordOf('host', word)) && words.every(isPart) && !words.includes('url');
}

/** Returns true for names such as `link_expiry`, `expires on`, `end_date` and `validUntil`, but not for `is_expired`. */
function isExpiry(words: readonly string[]): boolean {
  const has = (meaning: Meaning) => words.some((word) => isWordOf(meaning, word));
  const isAbout = (...meanings: Meaning[]) => words.every((word) => meanings.some((one) => isWordOf(one, word)));
  if (has('visits') || words.includes('first')) return false;
  if (has('expiry')) return isAbout('expiry', 'time', 'filler') && (!words.includes('expired') || has('time'));
  if (!has('end') || !isAbout('end', 'time', 'filler', 'open', 'valid')) return false;
  // `to` and `end` alone say too little.
  return words.includes('until') || has('valid') || has('open') || (has('time') && !isAbout('time', 'filler'));
}

/** Returns the name of a column without case, spaces and punctuation. */
export function normalizedName(name: string): string {
  return name.toLowerCase().replaceAll(/[\p{P}\p{S}\p{Z}\p{C}]/gu, '');
}
