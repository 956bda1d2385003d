import Papa from 'papaparse';
import { links } from '../texts/links.ts';
import { COLUMNS } from './import-columns.ts';
import { splitHashtags } from './link-form-values.ts';
import type { CreateLinkInput } from './use-links.ts';

const { importing: texts } = links;

const TEXTS = COLUMNS.filter((name) => name !== 'hashtags' && name !== 'archived');

/** A row of the file: what to create, or why it cannot be read. */
export interface ImportRow {
  /** The number of the row in the file, the first one being 1. */
  row: number;
  destination: string;
  outcome: { link: CreateLinkInput } | { error: string };
  /** The cells, to hand refused rows back. */
  cells: string[];
}

export interface ImportFile {
  header: string[];
  /** Columns that are not imported. */
  ignored: string[];
  rows: ImportRow[];
}

/**
 * Reads the CSV text of an import: any of the common delimiters, quotes as in RFC 4180, a header row. What only the API
 * can judge, such as a URL or a slug, is left to it.
 * @throws {Error} with a message for the user if there is no column `destination_url` or no row.
 */
export function readImport(text: string): ImportFile {
  const csv = text.replace(/^\uFEFF/, '');
  const { meta } = Papa.parse(csv, { delimitersToGuess: [',', ';', '\t'], skipEmptyLines: 'greedy', preview: 10 });
  // With the empty rows, so that the numbers are those of the file.
  const { data, errors } = Papa.parse<string[]>(csv, { delimiter: meta.delimiter });
  const [header, ...records] = data
    .map((cells, index) => ({ cells, index }))
    .filter(({ cells }) => cells.join('').trim() !== '');
  const columns = header?.cells ?? [];
  const names = columns.map((name) => name.trim().toLowerCase());
  if (!names.includes('destination_url')) throw new Error(texts.noDestination);
  if (records.length === 0) throw new Error(texts.noRows);
  const badRows = new Map(errors.flatMap(({ row, message, type }) => (type === 'Quotes' ? [[row, message]] : [])));
  const rows = records.map(({ cells, index }): ImportRow => {
    const bad = badRows.get(index);
    const cellOf = (name: string) => restoreCell(cells[names.indexOf(name)] ?? '').trim();
    return {
      row: index + 1,
      destination: cellOf('destination_url'),
      outcome: bad === undefined ? linkOf(cellOf) : { error: texts.badCsv(bad) },
      cells,
    };
  });
  return {
    header: columns,
    ignored: columns.filter((_, index) => !(COLUMNS as readonly string[]).includes(names[index]!)),
    rows,
  };
}

function linkOf(cellOf: (name: string) => string): ImportRow['outcome'] {
  const link: Record<string, unknown> = {};
  for (const name of TEXTS) {
    const cell = cellOf(name);
    if (cell !== '') link[name] = cell;
  }
  link.destination_url ??= '';
  const hashtags = splitHashtags(cellOf('hashtags'));
  if (hashtags.length > 0) link.hashtags = hashtags;
  const archived = cellOf('archived').toLowerCase();
  if (!['', 'true', 'false'].includes(archived)) return { error: texts.badArchived };
  if (archived === 'true') link.archived = true;
  return { link: link as CreateLinkInput };
}

/** Removes the apostrophe that an export of links puts before what a spreadsheet would run as a formula. */
function restoreCell(cell: string): string {
  return /^''*[=+\-@\t\r\n\uFF1D\uFF0B\uFF0D\uFF20]/.test(cell) ? cell.slice(1) : cell;
}

/** Returns refused rows as CSV, with the reason as last column, to correct and import again. */
export function refusedCsv(header: readonly string[], refused: readonly { cells: string[]; reason: string }[]): string {
  return Papa.unparse([[...header, 'refused_because'], ...refused.map(({ cells, reason }) => [...cells, reason])]);
}
