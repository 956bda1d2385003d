import { DEPTH_MAX, ROW_MAX_LENGTH } from '../sizes.ts';
import { type ReadRow, rowOfJson, rowTooLong } from './row.ts';

/**
 * Yields the rows of a file that has a JSON object on each line. Holds one piece and one line.
 * @throws {AppError} `invalid` if a line is too long. The rows before it have been yielded then.
 */
export async function* ndjsonRows(pieces: AsyncIterable<string>): AsyncGenerator<ReadRow> {
  let row = 0;
  for await (const line of linesOf(pieces)) {
    row += 1;
    if (line.trim() === '') continue;
    let value: unknown;
    try {
      value = JSON.parse(line);
    } catch {
      yield { row, error: 'The line is not valid JSON.' };
      continue;
    }
    yield isTooDeep(value) ? { row, error: `The row is nested more than ${DEPTH_MAX} times.` } : rowOfJson(row, value);
  }
}

/** Returns true if a value of JSON is deeper than {@link DEPTH_MAX}. */
function isTooDeep(value: unknown): boolean {
  let level = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > DEPTH_MAX) return true;
    level = level.flatMap((one) => (typeof one === 'object' && one !== null ? Object.values(one) : []));
  }
  return false;
}

/** Yields the lines. Unlike `node:readline`, it does not split at U+2028, which JSON may contain. */
async function* linesOf(pieces: AsyncIterable<string>): AsyncGenerator<string> {
  let line = 1;
  let rest = '';
  let isAfterCr = false;
  for await (const piece of pieces) {
    // A CRLF between two pieces is one line break.
    const lines = (isAfterCr && piece.startsWith('\n') ? piece.slice(1) : piece).split(/\r\n|\n|\r/);
    isAfterCr = piece.endsWith('\r');
    rest += lines[0]!;
    for (const next of lines.slice(1)) {
      yield rest;
      line += 1;
      rest = next;
    }
    if (rest.length > ROW_MAX_LENGTH) throw rowTooLong(`in line ${line}`);
  }
  yield rest;
}
