import type { EngineNames } from './engine.ts';
import { ClickHouseException } from './errors.ts';
import { type Token, tokens } from './lexer.ts';
import { ENGINES, TABLE_FUNCTIONS } from './privileges.ts';

/** An INSERT with rows in the request. `head` is the part before the file that the engine reads the rows from. */
export interface InsertStatement {
  kind: 'insert';
  /** `INSERT INTO t (a, b)` */
  head: string;
  /** `SETTINGS …`, or empty. */
  settings: string;
  /** Undefined if the statement names none; the request's default format or Values applies then. */
  format: string | undefined;
  /** Offset of the first byte of inline data; the end of the text if there is none. */
  dataStart: number;
}

/** A statement that returns rows, split at its FORMAT clause. */
export interface ReadStatement {
  kind: 'read';
  /** Everything before FORMAT. */
  text: string;
  format: string | undefined;
  /** `SETTINGS …` after FORMAT, or empty. */
  settings: string;
}

/** DDL, mutations, INSERT … SELECT, SET and the rest: run unchanged. */
export interface CommandStatement {
  kind: 'command';
  text: string;
}

export type Statement = InsertStatement | ReadStatement | CommandStatement;

const READS = new Set(['SELECT', 'WITH', 'FROM', 'SHOW', 'DESC', 'DESCRIBE', 'EXPLAIN', 'EXISTS', 'CHECK', '(']);
const OPENING = new Set(['(', '[', '{']);
const CLOSING = new Set([')', ']', '}']);

interface PlacedToken extends Token {
  /** Upper case for words, unchanged otherwise: a quoted identifier is never a keyword. */
  keyword: string;
  depth: number;
}

/**
 * Keywords that the engine's grants do not cover: ATTACH moves a folder of the machine into the database, APPLY calls a
 * function without parentheses.
 */
const REFUSED_WORDS = new Set(['APPLY', 'ATTACH']);

function* placedTokens(text: string, names: EngineNames): Generator<PlacedToken, undefined> {
  let depth = 0;
  let previous: PlacedToken | undefined;
  let beforePrevious: PlacedToken | undefined;
  for (const token of tokens(text)) {
    const keyword = token.kind === 'word' ? token.text.toUpperCase() : token.text;
    if (REFUSED_WORDS.has(keyword)) throw denied(keyword);
    if (token.kind === 'quoted' && token.text.includes('\\')) throw denied('A backslash in the quotes of a name');
    if (keyword === '(') refuseTableFunction(previous, names);
    const clause = previous?.keyword === '=' ? beforePrevious : previous;
    if (clause?.keyword === 'ENGINE') refuseEngine(token, names);
    if (token.kind === 'symbol' && CLOSING.has(token.text)) depth--;
    beforePrevious = previous;
    previous = { ...token, depth, keyword };
    yield previous;
    if (token.kind === 'symbol' && OPENING.has(token.text)) depth++;
  }
}

/** Returns the name in a token; undefined if the token is not a name. */
function nameOf(token: Token | undefined): string | undefined {
  if (token?.kind === 'quoted') return token.text.slice(1, -1);
  return token?.kind === 'word' ? token.text : undefined;
}

/**
 * Refuses a table function that is not allowed. Several evaluate a text as an expression, and an expression may be
 * `file('…')`, which the engine grants to every user.
 */
function refuseTableFunction(token: Token | undefined, { tableFunctions }: EngineNames): void {
  const name = nameOf(token)?.toLowerCase();
  if (name === undefined || TABLE_FUNCTIONS.has(name)) return;
  // disk() creates its folder before the engine refuses the setting.
  if (tableFunctions.has(name) || name === 'disk') throw denied(`${name}()`);
}

/**
 * Refuses a table or database engine that is not allowed. The grants cover engines with a remote source, but not all
 * that take a path or run statements.
 */
function refuseEngine(token: Token, { engines }: EngineNames): void {
  const name = nameOf(token);
  if (name !== undefined && engines.has(name) && !ENGINES.has(name)) throw denied(`The engine ${name}`);
}

function denied(what: string): ClickHouseException {
  return new ClickHouseException(497, 'ACCESS_DENIED', `${what} is not allowed on the embedded server`);
}

/**
 * Extracts what the HTTP layer needs from a statement: where the data of an INSERT starts, and the format of a result.
 * It does not check the grammar; the engine does.
 *
 * `bytes` is the statement with one character for each byte (`latin1`), so that offsets are byte offsets.
 *
 * @throws ClickHouseException 62 for an empty query or several statements, 358 for INTO OUTFILE and 78 for FROM INFILE,
 * which a ClickHouse server refuses too, and 497 for what would reach files or other servers.
 */
export function parseStatement(bytes: string, names: EngineNames): Statement {
  const utf8 = (from: number, to: number) => Buffer.from(bytes.slice(from, to), 'latin1').toString('utf8');
  const stream = placedTokens(bytes, names);
  const scanToEnd = (text: string) => scan(placedTokens(text, names));
  const first = stream.next().value;
  if (first === undefined || first.keyword === ';') throw new ClickHouseException(62, 'SYNTAX_ERROR', 'Empty query');
  if (first.keyword === 'INSERT') {
    const insert = parseInsert(bytes, stream, utf8, scanToEnd);
    if (insert) return insert;
    return { kind: 'command', text: utf8(0, scanToEnd(bytes).end) };
  }
  const { end, format, insertsRows } = scanToEnd(bytes);
  if (!READS.has(first.keyword) || insertsRows) return { kind: 'command', text: utf8(0, end) };
  if (!format) return { kind: 'read', text: utf8(0, end), format: undefined, settings: '' };
  return { kind: 'read', text: utf8(0, format.start), format: format.name, settings: utf8(format.end, end) };
}

/** Parses an INSERT; returns null for INSERT … SELECT, which has no rows in the request. */
function parseInsert(
  bytes: string,
  stream: Generator<PlacedToken, undefined>,
  utf8: (from: number, to: number) => string,
  scanToEnd: (text: string) => unknown,
): InsertStatement | null {
  const next = (): PlacedToken | undefined => stream.next().value ?? undefined;
  let token = next();
  while (token && ['INTO', 'TABLE', 'FUNCTION'].includes(token.keyword)) token = next();
  // Skips the target before looking for keywords, because it may be called `values` or `format`.
  let end = token?.end ?? bytes.length;
  token = next();
  while (token && (token.depth > 0 || ['.', '}'].includes(token.text))) {
    const afterDot = token.text === '.' && token.depth === 0;
    end = token.end;
    token = next();
    if (afterDot && token) {
      end = token.end;
      token = next();
    }
  }
  let settingsStart: number | undefined;
  const statement = (clauseStart: number, format: string | undefined, dataStart: number): InsertStatement => ({
    kind: 'insert',
    head: utf8(0, settingsStart ?? clauseStart),
    settings: settingsStart === undefined ? '' : utf8(settingsStart, clauseStart),
    format,
    dataStart,
  });
  for (; token; token = next()) {
    if (token.depth === 0) {
      if (token.keyword === 'SELECT' || token.keyword === 'WITH') return null;
      if (token.keyword === 'SETTINGS') settingsStart ??= token.start;
      if (token.keyword === 'INFILE') {
        throw new ClickHouseException(78, 'UNKNOWN_TYPE_OF_QUERY', 'FROM INFILE is read by clients, not by a server');
      }
      if (token.keyword === 'VALUES') {
        // The engine would insert the rows before a semicolon and silently ignore the rest.
        const values = bytes.slice(token.end);
        if (values.includes(';')) scanToEnd(values);
        return statement(token.start, 'Values', token.end);
      }
      if (token.keyword === 'FORMAT') {
        const name = next();
        if (name?.kind === 'word') return statement(token.start, name.text, startOfData(bytes, name.end));
        return null;
      }
      if (token.keyword === ';') {
        const insert = statement(token.start, undefined, bytes.length);
        if (next()) throw multiStatement();
        return insert;
      }
    } else if (token.keyword === 'SELECT' && token.depth === 1) {
      return null;
    }
    end = token.end;
  }
  return statement(end, undefined, bytes.length);
}

/** Returns the offset after the format's name, blanks and one line break. */
function startOfData(bytes: string, formatEnd: number): number {
  const gap = /[ \t\f\r]*(;?)\n?/y;
  gap.lastIndex = formatEnd;
  const match = gap.exec(bytes);
  if (match?.[1] === ';') {
    throw new ClickHouseException(62, 'SYNTAX_ERROR', "You have ';' symbol before data for INSERT");
  }
  return formatEnd + (match?.[0].length ?? 0);
}

function multiStatement(): ClickHouseException {
  return new ClickHouseException(62, 'SYNTAX_ERROR', 'Syntax error (Multi-statements are not allowed)');
}

/** Finds the end of the only statement, without a closing semicolon, and its FORMAT clause. */
function scan(tokens: Iterable<PlacedToken>): {
  end: number;
  insertsRows: boolean;
  format: { name: string; start: number; end: number } | undefined;
} {
  let end = 0;
  let closed = false;
  let insertsRows = false;
  let previous: PlacedToken | undefined;
  let beforePrevious: PlacedToken | undefined;
  let format: { name: string; start: number; end: number } | undefined;
  for (const token of tokens) {
    if (closed) throw multiStatement();
    if (token.keyword === ';' && token.kind === 'symbol') {
      closed = true;
      continue;
    }
    if (token.depth === 0 && token.kind === 'word') {
      if (token.keyword === 'INSERT' && previous) insertsRows = true;
      if (token.keyword === 'OUTFILE' && previous?.keyword === 'INTO') {
        throw new ClickHouseException(358, 'INTO_OUTFILE_NOT_ALLOWED', 'INTO OUTFILE is not allowed');
      }
    }
    // A FORMAT clause stands at the end or before SETTINGS; elsewhere the word is an identifier.
    if (format && previous && format.end === previous.end && token.keyword !== 'SETTINGS') format = undefined;
    if (
      token.depth === 0 &&
      token.kind === 'word' &&
      previous?.keyword === 'FORMAT' &&
      previous.depth === 0 &&
      beforePrevious?.keyword !== 'AS'
    ) {
      format = { name: token.text, start: previous.start, end: token.end };
    }
    beforePrevious = previous;
    previous = token;
    end = token.end;
  }
  return { end, insertsRows, format };
}
