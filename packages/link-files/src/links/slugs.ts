import { hostOfUrl, slugKey } from '@waymark/contract';
import { type Cells, RowError } from '../rows/row.ts';
import { LIST_MAX } from '../sizes.ts';
import { trimmed } from '../text/trim.ts';
import { normalizedName } from './fields.ts';
import { urlOf } from './hosts.ts';
import { listOfCell } from './lists.ts';
import { isBlank, shown, textOf } from './values.ts';

/** The columns of Bitly with further short URLs of a link. */
const CUSTOM = new Set(['custombitlinks', 'customlink', 'backhalf']);
/** The columns with a whole short URL, maybe without `https://`. */
const SHORT_URLS = new Set([...CUSTOM, 'bitlink', 'shorturl', 'shortlink', 'link', 'source', 'tinyurl', 'id']);

/** Returns the columns that {@link slugsOf} reads besides those of the slug: Bitly has its generated short URL in `id`. */
export function furtherSlugColumns(columns: readonly string[]): string[] {
  return columns.some((column) => CUSTOM.has(normalizedName(column))) ? ['id'] : [];
}

/** A slug, and the hosts that short URLs of the row name for it. */
export interface NamedSlug {
  slug: string;
  hosts: readonly string[];
}

interface ShortUrl {
  /** Null if the text has none. */
  host: string | null;
  slug: string;
}

/**
 * Returns the slugs of a row, from the first of these columns that has any. Bitly keeps a generated one, and any number of
 * custom ones. Returns the custom ones, and the generated one if it is of the same host, because only then both can work.
 * @throws {RowError}
 */
export function slugsOf(cells: Cells, columns: readonly string[]): NamedSlug[] {
  const [first, ...others] = columns.filter((column) => !isBlank(cells.get(column)));
  if (first === undefined) return [];
  if (CUSTOM.has(normalizedName(first))) return customSlugsOf(cells, first, others);
  const { slug, host } = shortUrlOf(textOf(cells.get(first), first), first);
  return [{ slug, hosts: host === null ? hostsOfSlug(slug, cells, others) : [host] }];
}

function customSlugsOf(cells: Cells, first: string, others: readonly string[]): NamedSlug[] {
  const shortUrlsOf = (column: string) => listOf(cells.get(column), column).map((text) => shortUrlOf(text, column));
  const custom = shortUrlsOf(first);
  const hosts = new Set(custom.map(({ host }) => host));
  const generated = [...others, ...furtherSlugColumns([first]).filter((column) => cells.has(column))]
    .flatMap(shortUrlsOf)
    .filter(({ host }) => host !== null && hosts.has(host));
  const byKey = new Map<string, NamedSlug>();
  for (const { slug, host } of [...custom, ...generated]) {
    const key = `${host ?? ''}/${slugKey(slug)}`;
    if (!byKey.has(key)) byKey.set(key, { slug, hosts: host === null ? [] : [host] });
  }
  return [...byKey.values()];
}

/** Returns the hosts of the short URLs in these columns that have this slug. */
function hostsOfSlug(slug: string, cells: Cells, columns: readonly string[]): string[] {
  return columns
    .map((column) => ({ column, value: cells.get(column) }))
    .filter(({ value }) => typeof value === 'string')
    .map(({ column, value }) => shortUrlOf(value as string, column))
    .flatMap((url) => (url.host !== null && slugKey(url.slug) === slugKey(slug) ? url.host : []));
}

/** Returns the short URLs of a list, or of a cell that has several. */
function listOf(value: unknown, column: string): string[] {
  const list = listOfCell(value) ?? textOf(value, column).split(/[,;|\s]/);
  if (list.length > LIST_MAX) throw new RowError(`The column ${shown(column)} has more than ${LIST_MAX} values.`);
  return list.filter((one) => !isBlank(one)).map((one) => textOf(one, column));
}

/** What a whole short URL begins with: its scheme, a slash, or a host whose last label is no number, unlike `v1.2/a`. */
const SHORT_URL = /^(?:https?:\/\/|\/|[^\s/?#@]+\.\p{L}[\p{L}\p{N}-]+\.?(?::\d+)?\/)/iu;

/** Returns a slug as it is, or the path of a short URL. */
function shortUrlOf(value: string, column: string): ShortUrl {
  const text = trimmed(value);
  const isUrl = SHORT_URL.test(text) || (SHORT_URLS.has(normalizedName(column)) && text.includes('/'));
  const isPath = /^\/(?!\/)/.test(text);
  const url = isUrl ? urlOf(isPath ? `//host${text}` : text) : null;
  if (url === null) return { host: null, slug: text };
  try {
    return { host: isPath ? null : hostOfUrl(url), slug: withoutSlashes(decodeURI(url.pathname)) };
  } catch {
    throw new RowError(`The short URL ${shown(text)} has a "%" without two hexadecimal digits of UTF-8; correct it.`);
  }
}

/** Returns the text without slashes at its start and end. */
function withoutSlashes(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && text[start] === '/') start += 1;
  while (end > start && text[end - 1] === '/') end -= 1;
  return text.slice(start, end);
}
