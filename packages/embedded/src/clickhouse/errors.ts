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

/** ClickHouse's HTTP statuses by exception type; every other type is a 500. */
const STATUS_BY_TYPE: Readonly<Record<string, number>> = Object.fromEntries(
  Object.entries({
    400: [
      'BAD_ARGUMENTS',
      'CANNOT_COMPILE_REGEXP',
      'CANNOT_PARSE_DATE',
      'CANNOT_PARSE_DATETIME',
      'CANNOT_PARSE_DOMAIN_VALUE_FROM_STRING',
      'CANNOT_PARSE_ESCAPE_SEQUENCE',
      'CANNOT_PARSE_INPUT_ASSERTION_FAILED',
      'CANNOT_PARSE_IPV4',
      'CANNOT_PARSE_IPV6',
      'CANNOT_PARSE_NUMBER',
      'CANNOT_PARSE_QUOTED_STRING',
      'CANNOT_PARSE_TEXT',
      'CANNOT_PARSE_UUID',
      'DUPLICATE_COLUMN',
      'ILLEGAL_COLUMN',
      'INCORRECT_DATA',
      'SYNTAX_ERROR',
      'THERE_IS_NO_COLUMN',
      'TOO_BIG_AST',
      'TOO_DEEP_AST',
      'TYPE_MISMATCH',
      'UNEXPECTED_AST_STRUCTURE',
      'UNKNOWN_ELEMENT_IN_AST',
      'UNKNOWN_TYPE_OF_AST_NODE',
      'VALUE_IS_OUT_OF_RANGE_OF_DATA_TYPE',
    ],
    401: ['REQUIRED_PASSWORD'],
    403: ['ACCESS_DENIED', 'AUTHENTICATION_FAILED', 'SET_NON_GRANTED_ROLE', 'UNKNOWN_USER', 'WRONG_PASSWORD'],
    404: [
      'UNKNOWN_AGGREGATE_FUNCTION',
      'UNKNOWN_DATABASE',
      'UNKNOWN_DATABASE_ENGINE',
      'UNKNOWN_DIRECTION_OF_SORTING',
      'UNKNOWN_FORMAT',
      'UNKNOWN_FUNCTION',
      'UNKNOWN_IDENTIFIER',
      'UNKNOWN_ROLE',
      'UNKNOWN_SETTING',
      'UNKNOWN_STORAGE',
      'UNKNOWN_TABLE',
      'UNKNOWN_TYPE',
      'UNKNOWN_TYPE_OF_QUERY',
    ],
    408: ['TIMEOUT_EXCEEDED'],
    411: ['HTTP_LENGTH_REQUIRED'],
    413: ['QUERY_IS_TOO_LARGE'],
    415: ['UNSUPPORTED_MEDIA_TYPE'],
    501: ['NOT_IMPLEMENTED'],
    503: ['CANNOT_OPEN_FILE', 'CANNOT_SCHEDULE_TASK', 'SOCKET_TIMEOUT'],
  }).flatMap(([status, types]) => types.map((type) => [type, Number(status)])),
);

/** Returns the HTTP status that ClickHouse sends for an exception of this type. */
export function statusOf(type: string): number {
  return STATUS_BY_TYPE[type] ?? 500;
}
