// Result codes of SQLite: https://sqlite.org/rescode.html
const SQLITE_ERROR = 1;
const SQLITE_CORRUPT = 11;
const SQLITE_NOTADB = 26;

/** The error for damage that SQLite does not report as one. */
export class DamagedFile extends Error {}

/** Returns whether an error of SQLite means that its file is damaged. */
export function isDamage(error: unknown): boolean {
  const { code, errcode = 0 } = error as { code?: string; errcode?: number };
  // The spool never writes a number that does not fit into a double. A statement fails if a table lost its columns.
  if (error instanceof DamagedFile || code === 'ERR_OUT_OF_RANGE') return true;
  return [SQLITE_ERROR, SQLITE_CORRUPT, SQLITE_NOTADB].includes(errcode & 0xff);
}
