import { isExportHeader, type LinkFileFormat, restoreCell } from '@waymark/contract';
import { checkColumns, checkMapping, noDestination } from './links/columns.ts';
import { ColumnsOfRows } from './links/columns-of-rows.ts';
import { checkFormat, formatOfColumns } from './links/formats.ts';
import { type FileHosts, NO_HOSTS } from './links/hosts.ts';
import { type FileLink, linksOfRow, type RowReading } from './links/links-of-row.ts';
import { readCsv } from './rows/csv.ts';
import { jsonRows } from './rows/json-list.ts';
import { kindOf } from './rows/kind.ts';
import { ndjsonRows } from './rows/ndjson.ts';
import { type ReadRow, RowError, type RowFault } from './rows/row.ts';
import { encodingOf } from './text/decoder.ts';
import { refuseOtherText } from './text/other-files.ts';
import { Pacer } from './text/pacer.ts';
import { TextReader } from './text/text-reader.ts';

export interface ReadOptions {
  /** The service that exported the file. Default: `auto`, which finds out. */
  format?: LinkFileFormat | 'auto' | undefined;
  /** The column of each field, for a file that is no export of a known service. */
  columns?: Readonly<Record<string, string>> | undefined;
  /** The media type of the file, if it is known, maybe with its charset. */
  contentType?: string | undefined;
}

/** A link of a file, or what is wrong with a row. Several links of one row have the same number. */
export type LinkFileRow = { row: number; link: FileLink } | RowFault;

/** A file of links of which only the beginning has been read. */
export interface LinkFile {
  /** The service that exported the file; `auto` if only the names of its columns are known. */
  readonly format: LinkFileFormat | 'auto';
  /** The column of each field. In JSON, of the first link. */
  readonly columns: Readonly<Record<string, string>>;
  /**
   * The rows, in their order, without empty ones. They can be read once. Throws an {@link AppError} `invalid` if the rest
   * of the file cannot be read.
   */
  readonly rows: AsyncIterable<LinkFileRow>;
  /** The encoding of the rows so far, as the Encoding standard names it: `utf-8`, `windows-1252`. ASCII is UTF-8. */
  readonly encoding: string;
  /** The columns of the rows so far that were not used. */
  readonly unusedColumns: readonly string[];
}

/**
 * Reads a file of links: an export of Waymark, Bitly, Dub, Kutt, Shlink or YOURLS, or another one whose columns are known
 * by their names or by `columns`; CSV, ndjson or JSON. Holds a few kilobytes and a few rows, and pauses every few
 * milliseconds.
 * @throws {AppError} `invalid` before any row if the file is not understood.
 */
export async function readLinkFile(
  bytes: AsyncIterable<Uint8Array>,
  options: ReadOptions = {},
  hosts: FileHosts = NO_HOSTS,
): Promise<LinkFile> {
  const { format = 'auto', columns: mapping, contentType } = options;
  if (mapping !== undefined) checkMapping(mapping);
  const text = new TextReader(bytes, declaredEncoding(contentType));
  const start = await text.start();
  refuseOtherText(start);
  const kind = kindOf(start, contentType);
  const columns = new ColumnsOfRows(mapping);
  const opened =
    kind === 'csv'
      ? await openCsv(start, text.pieces(), options)
      : await openJson((kind === 'json' ? jsonRows : ndjsonRows)(text.unicodePieces()), columns);
  if (opened === null) return { format, columns: {}, rows: noRows(), encoding: text.encoding, unusedColumns: [] };
  const { names } = opened;
  if (!columns.of(names).hasDestination) throw noDestination(names);
  if (mapping === undefined && format !== 'auto') checkFormat(format, names);
  return {
    format: mapping === undefined && format === 'auto' ? formatOfColumns(names) : format,
    columns: columns.of(names).first(),
    rows: linksOf(opened, columns, {
      isExact: isExact(names, format),
      hosts,
      choose: (filled) => columns.choose(filled),
    }),
    get encoding() {
      return text.encoding;
    },
    get unusedColumns() {
      return columns.unused;
    },
  };
}

/** Returns the encoding that a media type names, or null. */
function declaredEncoding(contentType: string | undefined): string | null {
  const charset = contentType === undefined ? undefined : /;\s*charset\s*=\s*"?([^\s";]+)/i.exec(contentType)?.[1];
  return charset === undefined ? null : encodingOf(charset);
}

/** A file of which the names of the columns are known. */
interface OpenedFile {
  names: readonly string[];
  /** True if all rows have these columns. */
  isTable: boolean;
  rows: AsyncIterable<ReadRow>;
}

/** Returns true if the texts of the file are those of an export of Waymark. Others are cleaned. */
function isExact(names: readonly string[], format: LinkFileFormat | 'auto'): boolean {
  return format === 'waymark' || (format === 'auto' && isExportHeader(names));
}

async function openCsv(
  start: string,
  pieces: AsyncIterable<string>,
  { format = 'auto', columns: mapping }: ReadOptions,
): Promise<OpenedFile | null> {
  const csv = await readCsv(start, pieces);
  if (csv === null) return null;
  if (mapping !== undefined) checkColumns(csv.header, mapping);
  return { names: csv.header, isTable: true, rows: csv.rows(isExact(csv.header, format) ? restoreCell : cleanCell) };
}

/** Returns the text of a cell. Databases write `NULL` or `\N` for no value. */
function cleanCell(cell: string): string {
  const text = cell.trim();
  return text === 'NULL' || text === '\\N' ? '' : text;
}

/** How many rows are searched for one with a destination. */
const SAMPLE_ROWS = 20;

async function openJson(rows: AsyncGenerator<ReadRow>, columns: ColumnsOfRows): Promise<OpenedFile | null> {
  const sample: ReadRow[] = [];
  let names: readonly string[] | null = null;
  let hasDestination = false;
  while (sample.length < SAMPLE_ROWS && !hasDestination) {
    const { value: read, done } = await rows.next();
    if (done) break;
    sample.push(read);
    if ('error' in read) continue;
    const found = [...read.cells.keys()];
    hasDestination = columns.of(found).hasDestination;
    if (hasDestination || names === null) names = found;
  }
  if (sample.length === 0) return null;
  return { names: names ?? [], isTable: false, rows: chain(sample, rows) };
}

async function* chain<Value>(first: readonly Value[], rest: AsyncIterable<Value>): AsyncGenerator<Value> {
  yield* first;
  yield* rest;
}

async function* noRows(): AsyncGenerator<never> {}

async function* linksOf(
  { names, isTable, rows }: OpenedFile,
  columns: ColumnsOfRows,
  reading: RowReading,
): AsyncGenerator<LinkFileRow> {
  const pacer = new Pacer();
  for await (const read of rows) {
    if (pacer.isDue) await pacer.pause();
    if ('error' in read) {
      yield read;
      continue;
    }
    const { row, cells } = read;
    let links: FileLink[];
    try {
      links = linksOfRow(cells, columns.of(isTable ? names : [...cells.keys()]), reading);
    } catch (error) {
      if (!(error instanceof RowError)) throw error;
      yield { row, error: error.message };
      continue;
    }
    for (const link of links) yield { row, link };
  }
}
