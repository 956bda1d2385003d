import { UpdateLinkInput } from '@waymark/contract';

/**
 * The names that the fields of a link have in the exports of Waymark, Bitly, Dub, Kutt, Shlink, YOURLS and others, as
 * {@link normalizedName} returns them. The first one that a row has is used, but the earliest expiry.
 */
const NAMES: Record<string, readonly string[]> = {
  destination_url: ['destinationurl', 'longurl', 'originalurl', 'target', 'destination', 'url'],
  slug: [
    'slug',
    'custombitlinks',
    'customlink',
    'backhalf',
    'shortcode',
    'keyword',
    'key',
    'address',
    'bitlink',
    'shorturl',
    'shortlink',
    'link',
    'source',
  ],
  note: ['note', 'comments', 'comment', 'notes'],
  hashtags: ['hashtags', 'tags', 'tag'],
  expires_at: [
    'expiresat',
    'expirein',
    'validuntil',
    'expiration',
    'expirationdate',
    'expirationtime',
    'expires',
    'expireat',
    'expiredate',
    'expiry',
    'expirydate',
    'expirytime',
    'expiresin',
    'expireson',
    'expiredat',
    'validto',
    'activeuntil',
    'enddate',
    'endsat',
  ],
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
  return POSITIONS.get(normalizedName(name)) ?? null;
}

/** Returns the name of a column without case, spaces and punctuation. */
export function normalizedName(name: string): string {
  return name.toLowerCase().replaceAll(/[\p{P}\p{S}\p{Z}\p{C}]/gu, '');
}
