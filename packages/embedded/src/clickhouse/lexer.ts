import { ClickHouseException } from './errors.ts';

/** One significant token of ClickHouse's SQL (comments and white space are skipped). Offsets refer to the text. */
export interface Token {
  kind: 'word' | 'quoted' | 'string' | 'symbol';
  text: string;
  start: number;
  end: number;
}

const SPACE = /[ \t\n\v\f\r]+/y;
const LINE_COMMENT = /(?:--|#[ !])[^\n]*/y;
const WORD = /[A-Za-z0-9_]+/y;
const SYMBOLS = new Set('()[]{}.,;:+-*/%=<>!?|@');

function matchAt(pattern: RegExp, text: string, at: number): string | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0];
}

function refused(what: string): ClickHouseException {
  return new ClickHouseException(62, 'SYNTAX_ERROR', `Syntax error: the embedded server takes no ${what}`);
}

/** Returns the end of a quoted text. A backslash escapes the next character; a doubled quote is one quote character. */
function endOfQuoted(text: string, start: number): number {
  const quote = text[start];
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === '\\') at++;
    else if (text[at] === quote && text[at + 1] === quote) at++;
    else if (text[at] === quote) return at + 1;
  }
  throw refused('unclosed quotes');
}

/** Returns the end of a comment. Refuses a comment inside it, because the engine nests comments. */
function endOfComment(text: string, start: number): number {
  const end = text.indexOf('*/', start + 2);
  const inner = text.indexOf('/*', start + 2);
  if (end === -1) throw refused('unclosed comment');
  if (inner !== -1 && inner < end) throw refused('comment inside a comment');
  return end + 2;
}

/**
 * Yields the tokens of ClickHouse's SQL, lazily, so that the data after the head of an INSERT is never read.
 *
 * Accepts less than the engine does, so that both always see the same tokens: a semicolon inside a text here is inside
 * a text there. Outside of quotes and comments, only ASCII words, numbers and operators are allowed.
 *
 * @throws ClickHouseException 62 for anything else.
 */
export function* tokens(text: string): Generator<Token, undefined> {
  let at = 0;
  while (at < text.length) {
    const space = matchAt(SPACE, text, at);
    if (space !== undefined) {
      at += space.length;
      continue;
    }
    const comment = matchAt(LINE_COMMENT, text, at);
    if (comment !== undefined) {
      // The engine reads the first dash of `1e--` as part of the exponent.
      if (/\w/.test(text[at - 1] ?? '')) throw refused('comment directly after a word');
      at += comment.length;
      continue;
    }
    if (text.startsWith('/*', at)) {
      at = endOfComment(text, at);
      continue;
    }
    if (text.startsWith('//', at)) throw refused("comment with '//'");
    const start = at;
    const char = text[at]!;
    let kind: Token['kind'] = 'symbol';
    const word = matchAt(WORD, text, at);
    if (char === "'") {
      kind = 'string';
      at = endOfQuoted(text, at);
    } else if (char === '"' || char === '`') {
      kind = 'quoted';
      at = endOfQuoted(text, at);
    } else if (word !== undefined) {
      kind = 'word';
      at += word.length;
    } else {
      if (!SYMBOLS.has(char)) throw refused(`character ${JSON.stringify(char)} outside of quotes`);
      at += 1;
    }
    yield { kind, text: text.slice(start, at), start, end: at };
  }
}
