import { stringify } from 'csv-stringify/sync';

/** Returns rows as lines of CSV (RFC 4180). */
export function csv(rows: readonly (readonly string[])[]): string {
  return rows.length === 0
    ? ''
    : stringify(rows as string[][], { record_delimiter: 'windows', quote_record_delimiter: true });
}

/**
 * The beginnings of cells that a spreadsheet runs as a formula, also in full width
 * (https://owasp.org/www-community/attacks/CSV_Injection). Line breaks count, because some programs trim them.
 */
const FORMULA = /^'*[=+\-@\t\r\n\uFF1D\uFF0B\uFF0D\uFF20]/;

/** Puts an apostrophe before a formula, so that a spreadsheet shows it. {@link restoreCell} removes it. */
export function defuse(cell: string): string {
  return FORMULA.test(cell) ? `'${cell}` : cell;
}

/** Returns the text of a cell of an export. The cells of other files must not be changed. */
export function restoreCell(cell: string): string {
  return cell.startsWith("'") && FORMULA.test(cell) ? cell.slice(1) : cell;
}

/** The formats of answers with any number of rows. */
export const EXPORT_FORMATS = ['ndjson', 'csv'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

/** Their content types. */
export const EXPORT_TYPES: Record<ExportFormat, string> = {
  ndjson: 'application/x-ndjson; charset=utf-8',
  csv: 'text/csv; charset=utf-8; header=present',
};
