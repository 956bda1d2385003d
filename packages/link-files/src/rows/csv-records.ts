import { COLUMNS_MAX, ROW_MAX_LENGTH } from '../sizes.ts';
import type { CsvSyntax } from './csv-syntax.ts';
import { type RowFault, rowTooLong } from './row.ts';

/** A record of CSV, and the line where it begins. */
export type CsvRecord = { row: number; cells: string[] } | RowFault;

/**
 * Yields the records of CSV (RFC 4180) that arrives in pieces, without empty lines. A quote inside of a cell is part of
 * it. In a quoted cell, `\"` is a quote if the cell does not end there. If a quoted cell does not end as it should, the
 * record is refused, and the next line begins another one: a wrong quote hides no rows. Holds one piece and one record.
 * @throws {AppError} `invalid` if a record is too long. The records before it have been yielded then.
 */
export async function* csvRecords(pieces: AsyncIterable<string>, syntax: CsvSyntax): AsyncGenerator<CsvRecord> {
  const records = new CsvRecords(syntax);
  for await (const piece of pieces) yield* records.add(piece);
  yield* records.end();
}

const LINE_BREAK = /\r\n|\n|\r/g;
/** What matters if backslashes escape quotes: a backslash with the character that it escapes, or a quote. */
const ESCAPED_OR_QUOTE = /\\[\s\S]|"/g;

const TOO_MANY_CELLS = `The row has more than ${COLUMNS_MAX} cells.`;
const WRONG_QUOTE = 'A quote at the beginning of a cell has no end where the cell ends; double it, or remove it.';

interface Cell {
  text: string;
  /** True if a backslash is before the quote that closes it: its end may be a quote that MySQL escaped. */
  isDoubtful?: boolean;
  /** Where its delimiter or line break begins, or the text ends. */
  end: number;
  /** The delimiter, the line break, or an empty text. */
  ending: string;
}

class CsvRecords {
  readonly #delimiter: string;
  /** What ends a cell. */
  readonly #ending: RegExp;
  /** The text from the beginning of the first record that has not been read. */
  #text = '';
  /** Where the next record begins in the text. */
  #start = 0;
  #line = 1;
  /** The length from which on it makes sense to look again. */
  #nextLength = 0;
  #isEnd = false;

  constructor({ delimiter, lineBreaks }: CsvSyntax) {
    this.#delimiter = delimiter;
    const code = delimiter.charCodeAt(0).toString(16).padStart(4, '0');
    this.#ending = new RegExp([`\\u${code}`, ...lineBreaks].join('|'), 'g');
  }

  *add(piece: string): Generator<CsvRecord> {
    this.#text += piece;
    if (this.#text.length >= this.#nextLength) yield* this.#complete();
  }

  *end(): Generator<CsvRecord> {
    this.#isEnd = true;
    yield* this.#complete();
  }

  /** Yields the records that are complete. */
  *#complete(): Generator<CsvRecord> {
    for (let record = this.#next(); record !== null; record = this.#next()) yield record;
    this.#text = this.#text.slice(this.#start);
    this.#start = 0;
    if (this.#isTooLong) throw rowTooLong(`in line ${this.#line}`);
    // Twice as much, so that a long record is not read again for each piece.
    this.#nextLength = Math.min(2 * this.#text.length, ROW_MAX_LENGTH + 1);
  }

  get #isTooLong(): boolean {
    return this.#text.length - this.#start > ROW_MAX_LENGTH;
  }

  /** Returns the next record, or null if it is not complete. */
  #next(): CsvRecord | null {
    this.#skipEmptyLines();
    const cells: string[] = [];
    let isDoubtful = false;
    for (let start = this.#start; start < this.#text.length || cells.length > 0; ) {
      const cell = this.#cellAt(start);
      if (cell === null) return null;
      if (cell === 'wrong quote') return this.#refuse(WRONG_QUOTE);
      if (isDoubtful && this.#text[start] !== '"' && cell.text.includes('"')) return this.#refuse(WRONG_QUOTE);
      isDoubtful ||= cell.isDoubtful === true;
      if (cells.length === COLUMNS_MAX) return this.#refuse(TOO_MANY_CELLS);
      cells.push(cell.text);
      start = cell.end + cell.ending.length;
      if (cell.ending === this.#delimiter) continue;
      const row = this.#line;
      this.#moveTo(start);
      return { row, cells };
    }
    return null;
  }

  #skipEmptyLines(): void {
    let start = this.#start;
    while (this.#text[start] === '\n' || this.#text[start] === '\r') start += 1;
    // A CR at the end may be half of a line break.
    if (start === this.#text.length && this.#text[start - 1] === '\r' && !this.#isEnd) start -= 1;
    if (start > this.#start) this.#moveTo(start);
  }

  /** Refuses the record. The next one begins in the next line. */
  #refuse(error: string): CsvRecord | null {
    LINE_BREAK.lastIndex = this.#start;
    const lineBreak = LINE_BREAK.exec(this.#text);
    if (lineBreak === null && !this.#isEnd) return null;
    const row = this.#line;
    this.#moveTo(lineBreak === null ? this.#text.length : lineBreak.index + lineBreak[0].length);
    return { row, error };
  }

  #moveTo(start: number): void {
    this.#line += this.#text.slice(this.#start, start).match(LINE_BREAK)?.length ?? 0;
    this.#start = start;
  }

  /** Returns the cell that begins here, or null if it is not complete. */
  #cellAt(start: number): Cell | 'wrong quote' | null {
    return this.#text[start] === '"' ? this.#quotedCellAt(start) : this.#plainCell(start, start);
  }

  #quotedCellAt(start: number): Cell | 'wrong quote' | null {
    const end = this.#closingQuote(start);
    if (end === null) return this.#isEnd || this.#isTooLong ? 'wrong quote' : null;
    const cell = this.#plainCell(start, end + 1);
    if (cell === null) return null;
    const quoted = this.#text.slice(start + 1, end);
    const isDoubtful = quoted.endsWith('\\');
    if (cell.end === end + 1) return { ...cell, text: quoted.replaceAll('""', '"'), isDoubtful };
    if (isDoubtful) return this.#escapedCellAt(start);
    return /[\r\n]/.test(quoted) ? 'wrong quote' : cell;
  }

  /** Returns the quoted cell that begins here, in which backslashes escape quotes, as MySQL writes them. */
  #escapedCellAt(start: number): Cell | 'wrong quote' | null {
    const end = this.#unescapedQuote(start);
    if (end === null) return this.#isEnd || this.#isTooLong ? 'wrong quote' : null;
    const cell = this.#plainCell(start, end + 1);
    if (cell === null) return null;
    return cell.end === end + 1
      ? { ...cell, text: this.#text.slice(start + 1, end).replaceAll(/\\(.)/gs, '$1') }
      : 'wrong quote';
  }

  /** Returns where the quote is that closes the one at `start`, or null if it is not in the text yet. */
  #closingQuote(start: number): number | null {
    for (let end = start; ; end += 1) {
      end = this.#text.indexOf('"', end + 1);
      if (end === -1 || (end + 1 === this.#text.length && !this.#isEnd)) return null;
      if (this.#text[end + 1] !== '"') return end;
    }
  }

  /** Returns where the first quote after `start` is that no backslash escapes, or null if it is not in the text yet. */
  #unescapedQuote(start: number): number | null {
    ESCAPED_OR_QUOTE.lastIndex = start + 1;
    for (;;) {
      const match = ESCAPED_OR_QUOTE.exec(this.#text);
      if (match === null || match[0] === '"') return match?.index ?? null;
    }
  }

  /** Returns the cell whose text begins at `start`, and whose end is searched from `searched` on. */
  #plainCell(start: number, searched: number): Cell | null {
    this.#ending.lastIndex = searched;
    const match = this.#ending.exec(this.#text);
    if (!this.#isEnd && (match === null || (match[0] === '\r' && match.index + 1 === this.#text.length))) return null;
    const end = match?.index ?? this.#text.length;
    return { text: this.#text.slice(start, end), end, ending: match?.[0] ?? '' };
  }
}
