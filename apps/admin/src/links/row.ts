import { type CreateLinkInput, normalizeHashtags, UpdateLinkInput } from '@waymark/contract';

/** One row of a file: a record of CSV, or an object of JSON. */
export type Row = Record<string, unknown>;

/** A link that a row describes. Its fields are not validated. */
export interface RowLink {
  input: Partial<CreateLinkInput>;
  createdAt: Date;
}

/**
 * The names that the fields of a link have in the exports of Waymark, Bitly, Dub, Kutt, Shlink and YOURLS, without
 * case, spaces and punctuation. The first one that a row has is used.
 */
const NAMES = {
  slug: [
    'slug',
    'custombitlinks',
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
  created_at: ['createdat', 'datecreated', 'created', 'timestamp', 'creationdate', 'date'],
} as const;

/** The writable fields that only exports of Waymark have. They are read by their own names. */
const OWN_FIELDS = Object.keys(UpdateLinkInput.properties).filter(
  (name) => !Object.hasOwn(NAMES, name) && name !== 'password',
);

/**
 * Returns the link of a row, or null if the row is empty. Every service names its columns in its own way, so the names
 * decide what a cell means.
 * @throws {Error} if the link has a password or its creation time cannot be read. The message is for a person.
 */
export function linkOfRow(row: Row): RowLink | null {
  const cells = new Map(Object.entries(row).map(([name, value]) => [normalizedName(name), presentValue(value)]));
  if ([...cells.values()].every((value) => value === undefined)) return null;
  const find = (field: keyof typeof NAMES) =>
    NAMES[field].map((name) => cells.get(name)).find((value) => value !== undefined);
  const input: Record<string, unknown> = {
    destination_url: textOf(find('destination_url')),
    slug: slugOf(find('slug')),
    title: textOf(find('title')),
    description: textOf(find('description')),
    note: textOf(find('note')),
    hashtags: hashtagsOf(find('hashtags')),
  };
  for (const name of OWN_FIELDS) input[name] = booleanOrText(cells.get(normalizedName(name)));
  // Imported without it, the link would be open to everyone.
  if (![undefined, false, 'false'].includes(cells.get('password') as undefined))
    throw new Error('The link has a password, which cannot be imported; create the link by hand.');
  const sent = Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined));
  return { input: sent as Partial<CreateLinkInput>, createdAt: timeOf(find('created_at')) };
}

function normalizedName(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, '');
}

/** Returns a value, or undefined for an empty one. */
function presentValue(value: unknown): unknown {
  if (typeof value === 'string') return value.trim() === '' ? undefined : value;
  if (Array.isArray(value)) return value.length === 0 ? undefined : value;
  return value ?? undefined;
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
  return url === null ? text : decodeURI(url.pathname).replace(/^\/+|\/+$/g, '');
}

/** Returns tags as hashtags: characters that a hashtag cannot have, such as spaces, become `-`. */
function hashtagsOf(value: unknown): string[] | undefined {
  if (value === undefined) return undefined;
  const tags = Array.isArray(value) ? value.map(tagName) : String(value).split(/[,|;]/);
  return normalizeHashtags(
    tags
      .map((tag) =>
        tag
          .trim()
          .replace(/^#/, '')
          .replace(/[^\p{L}\p{M}\p{Nd}_-]+/gu, '-'),
      )
      .filter((tag) => /[^-]/.test(tag)),
  );
}

/** Dub gives tags as objects. */
function tagName(tag: unknown): string {
  return String(typeof tag === 'object' && tag !== null ? (tag as { name?: unknown }).name : tag);
}

/** Reads RFC 3339, Unix seconds or milliseconds, and dates of databases, which are taken as UTC. */
function timeOf(value: unknown): Date {
  if (value === undefined) return new Date();
  const text = String(value).trim();
  const time = new Date(
    /^\d{9,10}$/.test(text)
      ? Number(text) * 1_000
      : /^\d{12,13}$/.test(text)
        ? Number(text)
        : text.replace(/^(\d{4}-\d\d-\d\d) (\d\d:\d\d(?::\d\d)?(?:\.\d+)?)$/, '$1T$2Z'),
  );
  if (Number.isNaN(time.getTime())) throw new Error(`The creation time "${text.slice(0, 60)}" cannot be read.`);
  return time;
}
