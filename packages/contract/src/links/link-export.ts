import Type, { type Static } from 'typebox';
import { csv, defuse, EXPORT_FORMATS, type ExportFormat } from '../csv.ts';
import { oneOf } from '../text.ts';
import { Link } from './link.ts';
import { ListLinksQuery } from './link-list.ts';

/** List parameters that an export does not accept. */
const LIST_ONLY_PARAMETERS = ['page', 'per', 'sort', 'dir', 'fields', 'duplicates'] as const;

/** The filters of a list. */
export const LINK_FILTERS = without(ListLinksQuery.properties, LIST_ONLY_PARAMETERS);

/** The query of `GET /api/v1/links/export`: the filters of the list. */
export const ExportLinksQuery = Type.Object(
  {
    ...LINK_FILTERS,
    format: oneOf(EXPORT_FORMATS, {
      default: 'ndjson',
      description: 'One JSON object on each line, or CSV (RFC 4180) with a header row.',
    }),
  },
  { additionalProperties: false },
);
export type ExportLinksQuery = Static<typeof ExportLinksQuery>;

function without<Fields extends object, Name extends string>(
  fields: Fields,
  names: readonly Name[],
): Omit<Fields, Name> {
  return Object.fromEntries(
    Object.entries(fields).filter(([name]) => !(names as readonly string[]).includes(name)),
  ) as Omit<Fields, Name>;
}

const COLUMNS = Object.keys(Link.properties) as (keyof Link)[];
/** Separates the hashtags in a cell. No hashtag contains it. Rules are JSON. */
const HASHTAG_SEPARATOR = ',';

/**
 * Columns that tell an export from another file: clients cannot set them. One of them is enough, because a user may have
 * removed columns. Do not add new fields: older exports lack them.
 */
const EXPORT_COLUMNS = ['short_url', 'last_clicked_at', 'updated_at'];

/** Returns true for the columns of an export, in any order, some of which may be missing. */
export function isExportHeader(columns: readonly string[]): boolean {
  return columns.includes('destination_url') && EXPORT_COLUMNS.some((name) => columns.includes(name));
}

/** Returns the first line of an export, or an empty text if the format has none. */
export function exportHeader(format: ExportFormat): string {
  return format === 'csv' ? csv([COLUMNS]) : '';
}

/** Returns links as lines of an export. */
export function exportLines(format: ExportFormat, links: readonly Link[]): string {
  if (format === 'ndjson') return links.map((link) => `${JSON.stringify(link)}\n`).join('');
  return csv(links.map((link) => COLUMNS.map((name) => defuse(cellOf(link[name])))));
}

function cellOf(value: Link[keyof Link]): string {
  if (value === null) return '';
  // Of the health, what a spreadsheet can filter by.
  if (!Array.isArray(value)) return typeof value === 'object' ? value.state : String(value);
  if (value.length === 0) return '';
  return typeof value[0] === 'string' ? value.join(HASHTAG_SEPARATOR) : JSON.stringify(value);
}
