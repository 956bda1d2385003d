/** One significant token of ClickHouse's SQL (comments and white space are skipped). Offsets are into the text. */
export interface Token {
  kind: 'word' | 'quoted' | 'string' | 'symbol';
  text: string;
  start: number;
  end: number;
}

const SPACE = /[\s\0]+/y;
const LINE_COMMENT = /(?:--|#[ !])[^\n]*/y;
const WORD = /[A-Za-z0-9_\x80-\uffff]+/y;
const HEREDOC_TAG = /\$\w*\$/y;

function matchAt(pattern: RegExp, text: string, at: number): string | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0];
}

/** End of a quoted run: a backslash takes the next character along, a doubled quote is one quote. */
function endOfQuoted(text: string, start: number): number {
  const quote = text[start];
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === '\\') at++;
    else if (text[at] === quote && text[at + 1] === quote) at++;
    else if (text[at] === quote) return at + 1;
  }
  return text.length;
}

/**
 * Tokens of ClickHouse's SQL, lazily, so that the data after an INSERT's head is never looked at. What is not closed
 * (a string, a comment) ends the text: the engine says so in its own words.
 */
export function* tokens(text: string): Generator<Token, undefined> {
  let at = 0;
  while (at < text.length) {
    const skipped = matchAt(SPACE, text, at) ?? matchAt(LINE_COMMENT, text, at);
    if (skipped !== undefined) {
      at += skipped.length;
      continue;
    }
    if (text.startsWith('/*', at)) {
      const close = text.indexOf('*/', at + 2);
      at = close === -1 ? text.length : close + 2;
      continue;
    }
    const start = at;
    const char = text[at]!;
    let kind: Token['kind'] = 'symbol';
    const heredoc = char === '$' ? matchAt(HEREDOC_TAG, text, at) : undefined;
    const word = matchAt(WORD, text, at);
    if (char === "'") {
      kind = 'string';
      at = endOfQuoted(text, at);
    } else if (char === '"' || char === '`') {
      kind = 'quoted';
      at = endOfQuoted(text, at);
    } else if (heredoc !== undefined) {
      kind = 'string';
      const close = text.indexOf(heredoc, at + heredoc.length);
      at = close === -1 ? text.length : close + heredoc.length;
    } else if (word !== undefined) {
      kind = 'word';
      at += word.length;
    } else {
      at += 1;
    }
    yield { kind, text: text.slice(start, at), start, end: at };
  }
}
