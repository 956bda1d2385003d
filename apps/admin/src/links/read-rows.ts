import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { JSONParser } from '@streamparser/json';
import { isExportHeader, restoreCell } from '@waymark/contract';
import { parse } from 'csv-parse';
import { AdminError } from '../admin-error.ts';
import type { Row } from './row.ts';

/** A row with its line in the file, from 1, or the reason why it cannot be read. In JSON the line is the position. */
export type ReadRow = { line: number; row: Row } | { line: number; error: string };

const RECORD_MAX_BYTES = 1024 * 1024;
const START_BYTES = 64 * 1024;
/** Where the APIs of the services put their links. */
const LISTS = ['links', 'data', 'shortUrls', 'short_urls', 'result'];

/**
 * Yields the rows of a CSV, ndjson or JSON file, whichever it is. Holds a few of them at a time.
 * @throws {AdminError} if there is no such file, or if it is JSON and not valid or without links. The rows before what is
 *   not valid have been yielded then.
 */
export async function* readRows(file: string): AsyncGenerator<ReadRow> {
  const start = await startOf(file);
  const first = start.trimStart()[0];
  if (first === '[' || (first === '{' && !isNdjson(start))) yield* jsonRows(file);
  else if (first === '{') yield* ndjsonRows(file);
  else yield* csvRows(file, delimiterOf(start));
}

async function startOf(file: string): Promise<string> {
  try {
    const handle = await open(file);
    try {
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(START_BYTES), 0, START_BYTES, 0);
      return buffer.toString('utf8', 0, bytesRead).replace(/^\uFEFF/, '');
    } finally {
      await handle.close();
    }
  } catch (error) {
    throw new AdminError(`Cannot read ${file}: ${(error as Error).message}.`);
  }
}

/** True if the first line is an object of its own that is not a list of links. */
function isNdjson(start: string): boolean {
  const line = start.trimStart().split('\n', 1)[0]!;
  try {
    JSON.parse(line);
    return new ListFinder().find(line) === null;
  } catch {
    // A line that is cut off at the end of the start is longer than any link.
    return false;
  }
}

const ENDS_EARLY = 'it ends too early';

/** Finds the list of links in JSON that arrives in chunks. */
class ListFinder {
  readonly #parser = new JSONParser();
  #path: string[] | null = null;

  constructor() {
    this.#parser.onValue = ({ value, key, stack }) => {
      const keys = [...stack.slice(1).map((one) => one.key), ...(stack.length === 0 ? [] : [key])];
      const depth = keys.findIndex((one) => !LISTS.includes(String(one)));
      const names = (depth === -1 ? keys : keys.slice(0, depth)).map(String);
      const isFound = depth === -1 ? Array.isArray(value) : isRowKey(keys[depth]);
      if (isFound) this.#path ??= names;
    };
  }

  get isEnded(): boolean {
    return this.#parser.isEnded;
  }

  /** Returns the names that lead to the list, or null if it does not begin in this chunk or an earlier one. */
  find(chunk: string | Uint8Array): readonly string[] | null {
    this.#parser.write(chunk);
    return this.#path;
  }
}

/** True for a position in an array, and for the names of YOURLS' links: link_1, link_2 and so on. */
function isRowKey(key: string | number | undefined): boolean {
  return typeof key === 'number' || key?.startsWith('link_') === true;
}

async function* jsonRows(file: string): AsyncGenerator<ReadRow> {
  let line = 0;
  try {
    const path = await listPath(file);
    const rows: ReadRow[] = [];
    const parser = new JSONParser({ paths: [['$', ...path, '*'].join('.')], keepStack: false });
    parser.onValue = ({ value, key }) => {
      if (isRowKey(key)) rows.push(rowOf(++line, value));
    };
    for await (const chunk of createReadStream(file)) {
      parser.write(chunk);
      yield* rows.splice(0);
    }
    if (!parser.isEnded) throw new Error(ENDS_EARLY);
  } catch (error) {
    if (error instanceof AdminError) throw error;
    const where = line === 0 ? '' : ` after row ${line}`;
    throw new AdminError(`${file} is not valid JSON${where}: ${(error as Error).message}.`);
  }
}

async function listPath(file: string): Promise<readonly string[]> {
  const finder = new ListFinder();
  for await (const chunk of createReadStream(file)) {
    const path = finder.find(chunk);
    if (path !== null) return path;
  }
  if (!finder.isEnded) throw new Error(ENDS_EARLY);
  throw new AdminError(`${file} has no list of links; the known names are ${LISTS.join(', ')}.`);
}

async function* ndjsonRows(file: string): AsyncGenerator<ReadRow> {
  let line = 0;
  for await (const text of linesOf(file)) {
    line += 1;
    if (text.trim() === '') continue;
    let row: unknown;
    try {
      row = JSON.parse(text.replace(/^\uFEFF/, ''));
    } catch {
      yield { line, error: 'The line is not valid JSON.' };
      continue;
    }
    yield rowOf(line, row);
  }
}

/** Yields the lines of a file. Unlike `node:readline`, it does not split at U+2028, which JSON may contain. */
async function* linesOf(file: string): AsyncGenerator<string> {
  let rest = '';
  for await (const chunk of createReadStream(file, 'utf8')) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop()!;
    yield* lines;
  }
  yield rest;
}

/** Returns the delimiter that the header row has most often. */
function delimiterOf(start: string): string {
  const header = start.split(/\r?\n/, 1)[0]!;
  const count = (delimiter: string) => header.split(delimiter).length;
  return [',', ';', '\t'].reduce((best, one) => (count(one) > count(best) ? one : best));
}

async function* csvRows(file: string, delimiter: string): AsyncGenerator<ReadRow> {
  const skipped: ReadRow[] = [];
  let isExport = false;
  const parser = createReadStream(file).pipe(
    parse({
      bom: true,
      columns: (header: string[]) => {
        isExport = isExportHeader(header);
        return header;
      },
      info: true,
      delimiter,
      // Only our own exports put apostrophes before formulas.
      cast: (cell, { header }) => (isExport && !header ? restoreCell(cell) : cell),
      relax_column_count: true,
      // Otherwise a wrong quote would hide the rows after it.
      relax_quotes: true,
      skip_empty_lines: true,
      skip_records_with_error: true,
      max_record_size: RECORD_MAX_BYTES,
      on_skip: (error) => {
        skipped.push({ line: Number(error?.lines ?? 0), error: `The row is not valid CSV: ${error?.message}` });
        return undefined;
      },
    }),
  );
  for await (const { info, record } of parser as AsyncIterable<{ info: { lines: number }; record: Row }>) {
    yield* skipped.splice(0);
    yield { line: info.lines, row: record };
  }
  yield* skipped;
}

function rowOf(line: number, row: unknown): ReadRow {
  const isObject = typeof row === 'object' && row !== null && !Array.isArray(row);
  return isObject ? { line, row: row as Row } : { line, error: 'The row is not a JSON object.' };
}
