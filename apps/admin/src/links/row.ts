import { type CreateLinkInput, hashtagOfTag, normalizeHashtags, UpdateLinkInput } from '@waymark/contract';

/** One row of a file: a record of CSV, or an object of JSON. */
export type Row = Record<string, unknown>;

/** A link that a row describes. Its fields are not validated. */
export interface RowLink {
  input: Partial<CreateLinkInput>;
  /** Undefined if the row has no creation time. */
  createdAt: Date | undefined;
}

/**
 * The names that the fields of a link have in the exports of Waymark, Bitly, Dub, Kutt, Shlink and YOURLS, without
 * case, spaces and punctuation. The first one that a row has is used.
 */
const NAMES = {
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
  destination_url: ['destinationurl', 'longurl', 'originalurl', 'target', 'destination', 'url'],
  title: ['title'],
  description: ['description'],
  note: ['note', 'comments', 'notes'],
  hashtags: ['hashtags', 'tags', 'tag'],
  expires_at: ['expiresat', 'expirein', 'validuntil'],
  created_at: ['createdat', 'datecreated', 'created', 'timestamp', 'creationdate', 'date'],
} as const;

/** The writable fields that only exports of Waymark have. They are read by their own names. */
const OWN_FIELDS = Object.keys(UpdateLinkInput.properties).filter(
  (name) => !Object.hasOwn(NAMES, name) && name !== 'password',
);

/**
 * Returns the link of a row, or null if the row is empty. Every service names its columns in its own way, so the names
 * decide what a cell means. Every link of an export of Waymark is read exactly as it is.
 * @throws {Error} if the link has what cannot be kept, such as a password, or if a cell cannot be read. The message is
 *   for a person.
 */
export function linkOfRow(row: Row): RowLink | null {
  const cells = cellsOf(row);
  if ([...cells.values()].every(isBlank)) return null;
  const find = (field: keyof typeof NAMES) =>
    NAMES[field].map((name) => cells.get(name)).find((value) => !isBlank(value));
  const input: Record<string, unknown> = {
    destination_url: textOf(find('destination_url')),
    slug: slugOf(find('slug')),
    title: textOf(cells.get('title')),
    description: textOf(cells.get('description')),
    note: textOf(NAMES.note.map((name) => cells.get(name)).find((value) => value !== undefined)),
    hashtags: hashtagsOf(find('hashtags')),
    expires_at: timeOf('expiry', find('expires_at'))?.toISOString(),
  };
  for (const name of OWN_FIELDS) input[name] = booleanOrText(cells.get(normalizedName(name)));
  checkLimits(cells);
  const sent = Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined));
  return { input: sent as Partial<CreateLinkInput>, createdAt: timeOf('creation time', find('created_at')) };
}

/** Returns the present values by {@link normalizedName}. The API of Shlink has some of them in `meta`. */
function cellsOf({ meta, ...row }: Row): Map<string, unknown> {
  const all = { ...row, ...(typeof meta === 'object' ? meta : {}) };
  return new Map(
    Object.entries(all)
      .filter(([, value]) => value !== null && value !== undefined && value !== '')
      .map(([name, value]) => [normalizedName(name), value]),
  );
}

/**
 * Refuses a link that would be open to more visitors than before.
 * @throws {Error}
 */
function checkLimits(cells: ReadonlyMap<string, unknown>): void {
  if (![undefined, false, 'false'].includes(cells.get('password') as undefined))
    throw new Error('The link has a password, which cannot be imported; create the link by hand.');
  const maxVisits = cells.get('maxvisits');
  if (!isBlank(maxVisits))
    throw new Error(`The link ends after ${maxVisits} visits, which cannot be kept; remove "maxVisits" to import it.`);
  const validSince = timeOf('start', cells.get('validsince'));
  if (validSince !== undefined && validSince.getTime() > Date.now())
    throw new Error(
      `The link begins on ${validSince.toISOString()}, which cannot be kept; import it then, or remove "validSince".`,
    );
}

function normalizedName(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, '');
}

/** Returns true for a value without information. A title of one space is a title, but says nothing about the row. */
function isBlank(value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0;
  return value === undefined || (typeof value === 'string' && value.trim() === '');
}

function textOf(value: unknown): string | undefined {
  return value === undefined ? undefined : String(value);
}

function booleanOrText(value: unknown): unknown {
  return value === 'true' || value === 'false' ? value === 'true' : value;
}

/** Returns a slug as it is, or the path of a short URL, with or without its host. Bitly lists several custom ones; the first is used. */
function slugOf(value: unknown): string | undefined {
  const text = textOf(Array.isArray(value) ? value[0] : value)?.trim();
  if (text === undefined || !text.includes('/')) return text;
  const url = URL.parse(/^https?:/i.test(text) ? text : `https://${text.startsWith('/') ? 'host' : ''}${text}`);
  if (url === null) return text;
  try {
    return decodeURI(url.pathname).replace(/^\/+|\/+$/g, '');
  } catch {
    throw new Error(`The short URL "${shown(text)}" has a "%" without two hexadecimal digits of UTF-8; correct it.`);
  }
}

/** Returns tags as hashtags: characters that a hashtag cannot have, such as spaces, become `-`. */
function hashtagsOf(value: unknown): string[] | undefined {
  if (value === undefined) return undefined;
  const tags = Array.isArray(value) ? value.map(tagName) : String(value).split(/[,|;]/);
  return normalizeHashtags(tags.map(hashtagOfTag).filter((hashtag) => hashtag !== null));
}

/** Dub gives tags as objects. */
function tagName(tag: unknown): string {
  return String(typeof tag === 'object' && tag !== null ? (tag as { name?: unknown }).name : tag);
}

/** A date, maybe with a time, maybe with a zone. */
const TIME = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?) ?(Z|UTC|[+-]\d\d:?\d\d)?)?$/i;

/** Reads RFC 3339, Unix seconds or milliseconds, and dates of databases. Without a zone they are UTC. */
function timeOf(meaning: string, value: unknown): Date | undefined {
  if (isBlank(value)) return undefined;
  const text = String(value).trim();
  const time = new Date(
    /^\d{9,10}$/.test(text) ? Number(text) * 1_000 : /^\d{12,13}$/.test(text) ? Number(text) : isoOf(text),
  );
  if (Number.isNaN(time.getTime()))
    throw new Error(`The ${meaning} "${shown(text)}" cannot be read; write it like 2024-03-01T10:00:00Z.`);
  return time;
}

function isoOf(text: string): string {
  const [, date, time = '00:00', zone = 'Z'] = TIME.exec(text) ?? [];
  return `${date}T${time}${/^(Z|UTC)$/i.test(zone) ? 'Z' : zone.replace(/(\d\d):?(\d\d)$/, '$1:$2')}`;
}

function shown(text: string): string {
  return text.slice(0, 60);
}
