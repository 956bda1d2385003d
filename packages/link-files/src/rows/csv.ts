import { AppError } from '@waymark/contract';
import { trimmed } from '../text/trim.ts';
import { type CsvRecord, csvRecords } from './csv-records.ts';
import { csvSyntaxOf } from './csv-syntax.ts';
import { REPEATED, type ReadRow, type RowFault } from './row.ts';

/** A CSV file of which only the header row has been read. */
export interface CsvFile {
  header: readonly string[];
  /**
   * Yields the rows. `clean` returns what a cell means; an empty text is an absent value. Call it once.
   * @throws {AppError} `invalid` if the rest cannot be read.
   */
  rows(clean: (cell: string) => string): AsyncGenerator<ReadRow>;
}

/**
 * Reads the header row of a CSV file that begins with `start`. Returns null if the file is empty.
 * @throws {AppError} `invalid` if it cannot be read, or is too long.
 */
export async function readCsv(start: string, pieces: AsyncIterable<string>): Promise<CsvFile | null> {
  const syntax = csvSyntaxOf(start);
  const { delimiter } = syntax;
  const records = csvRecords(pieces, syntax);
  if (syntax.hasDelimiterLine) await records.next();
  const { value: first, done } = await nextFilled(records);
  if (done) return null;
  if ('error' in first) throw new AppError('invalid', `The header row cannot be read: ${first.error}`);
  const header = distinct(named(first.cells.map(trimmed)));
  return {
    header,
    rows: async function* (clean) {
      for await (const record of records)
        yield 'error' in record ? record : rowOfRecord(record, { header, delimiter, clean });
    },
  };
}

/** Returns the first record that has more than white space. */
async function nextFilled(records: AsyncGenerator<CsvRecord>): Promise<IteratorResult<CsvRecord, undefined>> {
  for (;;) {
    const next = await records.next();
    if (next.done || 'error' in next.value || next.value.cells.some((cell) => trimmed(cell) !== '')) return next;
  }
}

/** Names the columns without a name, such as the numbers of rows that pandas writes, but for those after the last name. */
function named(names: readonly string[]): string[] {
  const last = names.findLastIndex((name) => name !== '');
  return names.map((name, position) => (name === '' && position < last ? `(column ${position + 1})` : name));
}

/** Tells columns of one name apart, which a join of tables has: any of them may say that the link is closed. */
function distinct(names: readonly string[]): string[] {
  const counts = new Map<string, number>();
  return names.map((name) => {
    const before = counts.get(name) ?? 0;
    counts.set(name, before + 1);
    return name === '' ? '' : name + REPEATED.repeat(before);
  });
}

interface Reading {
  header: readonly string[];
  delimiter: string;
  clean: (cell: string) => string;
}

function rowOfRecord(
  { row, cells }: { row: number; cells: readonly string[] },
  { header, delimiter, clean }: Reading,
): ReadRow {
  // Also if the further cells are empty: a comma in a URL pushes an empty last column out.
  if (cells.length > header.length) return tooManyCells(row, cells.length, header.length, delimiter);
  const filled = new Map<string, string>();
  for (const [position, text] of cells.entries()) {
    const cell = text === '' ? '' : clean(text);
    const name = header[position]!;
    if (cell !== '' && name === '') return cellWithoutColumn(row, position + 1, delimiter);
    if (cell !== '' && !filled.has(name)) filled.set(name, cell);
  }
  return { row, cells: filled };
}

const NAMES_OF_DELIMITERS: Record<string, string> = { ',': 'commas', ';': 'semicolons', '\t': 'tabs' };

function adviceToQuote(delimiter: string): string {
  return `put quotes around a cell with ${NAMES_OF_DELIMITERS[delimiter] ?? delimiter}`;
}

function tooManyCells(row: number, cells: number, columns: number, delimiter: string): RowFault {
  return { row, error: `The row has ${cells} cells and the header ${columns}; ${adviceToQuote(delimiter)}.` };
}

/** Returns what is wrong with a cell after the last named column: a comma in a URL may have pushed it there. */
function cellWithoutColumn(row: number, column: number, delimiter: string): RowFault {
  return {
    row,
    error: `The row has a cell in column ${column}, which has no name in the header; ${adviceToQuote(delimiter)}, or name the column.`,
  };
}
