/**
 * A failure in ClickHouse's own terms. `message` has the engine's form, `Code: 62. DB::Exception: … (SYNTAX_ERROR)`,
 * from which `@clickhouse/client` reads `ClickHouseError.code` and `.type`.
 */
export class ClickHouseException extends Error {
  override readonly name = 'ClickHouseException';
  readonly code: number;
  readonly type: string;

  constructor(code: number, type: string, text: string) {
    super(`Code: ${code}. DB::Exception: ${text}. (${type})`);
    this.code = code;
    this.type = type;
  }
}

/** The `(SYNTAX_ERROR)` at the end of an engine's message. Messages nest: the outermost type comes last. */
const TYPE_IN_MESSAGE = /\(([A-Z][A-Z0-9_]{2,})\)/g;

/** Splits an error of the engine into code, type and text. Any other error is reported as 1002 (UNKNOWN_EXCEPTION). */
export function describeError(error: unknown): { code: number; type: string; text: string } {
  if (error instanceof ClickHouseException) return { code: error.code, type: error.type, text: error.message };
  const text = error instanceof Error ? error.message : String(error);
  const code = /Code: (\d+)\./.exec(text)?.[1];
  if (code === undefined) {
    return { code: 1002, type: 'UNKNOWN_EXCEPTION', text: `Code: 1002. DB::Exception: ${text}. (UNKNOWN_EXCEPTION)` };
  }
  const type = [...text.matchAll(TYPE_IN_MESSAGE)].at(-1)?.[1] ?? 'UNKNOWN_EXCEPTION';
  return { code: Number(code), type, text };
}

const FORBIDDEN = new Set(['ACCESS_DENIED', 'AUTHENTICATION_FAILED']);

/** Returns the HTTP status of an exception. Clients read its code; ClickHouse has further statuses. */
export function statusOf(type: string): number {
  return FORBIDDEN.has(type) ? 403 : 500;
}
