import { slugKey } from '@waymark/contract';
import { type Cells, RowError } from '../rows/row.ts';
import { LIST_MAX } from '../sizes.ts';
import { trimmed } from '../text/trim.ts';
import { normalizedName } from './fields.ts';
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
export function slugsOf(cells: Cells, columns: readonly string[]): string[] {
  const filled = columns.filter((column) => !isBlank(cells.get(column)));
  const [first] = filled;
  if (first === undefined) return [];
  if (!CUSTOM.has(normalizedName(first))) return [shortUrlOf(textOf(cells.get(first), first), first).slug];
  const custom = listOf(cells.get(first), first).map((text) => shortUrlOf(text, first));
  const hosts = new Set(custom.map(({ host }) => host));
  const others = [...filled.slice(1), ...furtherSlugColumns([first]).filter((column) => cells.has(column))]
    .flatMap((column) => listOf(cells.get(column), column).map((text) => shortUrlOf(text, column)))
    .filter(({ host }) => host !== null && hosts.has(host));
  const slugs = [...custom, ...others].map(({ slug }) => slug);
  return slugs.filter((slug, position) => slugs.findIndex((other) => slugKey(other) === slugKey(slug)) === position);
}

/** Returns the short URLs of a list, or of a cell that has several. */
function listOf(value: unknown, column: string): string[] {
  const list = listOfCell(value) ?? textOf(value, column).split(/[,;|\s]/);
  if (list.length > LIST_MAX) throw new RowError(`The column ${shown(column)} has more than ${LIST_MAX} values.`);
  return list.filter((one) => !isBlank(one)).map((one) => textOf(one, column));
}

/** Returns a slug as it is, or the path of a short URL. */
function shortUrlOf(value: string, column: string): ShortUrl {
  const text = trimmed(value);
  const isUrl = /^(?:https?:\/)?\//i.test(text) || (SHORT_URLS.has(normalizedName(column)) && text.includes('/'));
  const url = isUrl
    ? URL.parse(/^https?:/i.test(text) ? text : `https://${text.startsWith('/') ? 'host' : ''}${text}`)
    : null;
  if (url === null) return { host: null, slug: text };
  try {
    return { host: text.startsWith('/') ? null : url.host, slug: withoutSlashes(decodeURI(url.pathname)) };
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
