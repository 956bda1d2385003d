/**
 * The error codes, with the HTTP status (docs/api.md, Errors) and the gRPC status
 * (https://grpc.github.io/grpc/core/md_doc_statuscodes.html) of each. Domain code throws codes; only this table
 * translates them.
 */
export const ERRORS = {
  unauthenticated: { http: 401, grpc: 16 },
  forbidden: { http: 403, grpc: 7 },
  not_found: { http: 404, grpc: 5 },
  method_not_allowed: { http: 405, grpc: 12 },
  too_large: { http: 413, grpc: 11 },
  misdirected: { http: 421, grpc: 9 },
  invalid: { http: 422, grpc: 3 },
  conflict: { http: 422, grpc: 6 },
  rate_limited: { http: 429, grpc: 8 },
  internal: { http: 500, grpc: 13 },
  unavailable: { http: 503, grpc: 14 },
  deadline_exceeded: { http: 503, grpc: 4 },
} as const satisfies Record<string, { http: number; grpc: number }>;

export type ErrorCode = keyof typeof ERRORS;

export interface AppErrorOptions {
  /** The underlying error. It is logged and never sent to the client. */
  cause?: unknown;
  /** Seconds to wait before a retry, sent as `Retry-After`. Default: 1 if the HTTP status is 503. */
  retryAfterSeconds?: number;
}

/** An error with a code from {@link ERRORS}. Its `message` is public: one sentence that the caller can act on. */
export class AppError extends Error {
  override readonly name = 'AppError';
  readonly code: ErrorCode;
  readonly retryAfterSeconds: number | undefined;

  constructor(code: ErrorCode, message: string, options: AppErrorOptions = {}) {
    super(message, 'cause' in options ? { cause: options.cause } : undefined);
    this.code = code;
    this.retryAfterSeconds =
      options.retryAfterSeconds ?? (ERRORS[code].http === 503 ? RETRY_UNAVAILABLE_SECONDS : undefined);
  }

  /** Returns the HTTP status of this error's code. */
  get httpStatus(): number {
    return ERRORS[this.code].http;
  }

  /** Returns the gRPC status of this error's code. */
  get grpcStatus(): number {
    return ERRORS[this.code].grpc;
  }
}

const RETRY_UNAVAILABLE_SECONDS = 1;

/** Returns the whole seconds to wait before a retry, as `Retry-After` has them; undefined if the error says nothing. */
export function waitOf({ retryAfterSeconds }: AppError): number | undefined {
  return retryAfterSeconds === undefined ? undefined : Math.ceil(retryAfterSeconds);
}

/** Returns the error code of a gRPC status, or `internal` if {@link ERRORS} does not list the status. */
export function errorCodeOfGrpcStatus(status: number): ErrorCode {
  for (const [code, row] of Object.entries(ERRORS)) if (row.grpc === status) return code as ErrorCode;
  return 'internal';
}

/** Returns an {@link AppError} as it is. Wraps any other thrown value as `internal` and keeps it as the cause. */
export function toAppError(error: unknown): AppError {
  return error instanceof AppError ? error : new AppError('internal', INTERNAL_MESSAGE, { cause: error });
}

export const INTERNAL_MESSAGE =
  'Something went wrong on our side; report the X-Request-Id so that we can find the cause.';
export const UNAUTHENTICATED_MESSAGE = 'Missing or invalid API key. Send it as "Authorization: Bearer <API_KEY>".';
export const LINK_NOT_FOUND_MESSAGE = 'Link not found.';
export const UNKNOWN_HOST_MESSAGE = 'No short links are served on this host.';
export const LINK_EXPIRED_MESSAGE = 'This link has expired.';
export const UNAVAILABLE_MESSAGE = 'Part of the service is unavailable right now; try again in a moment.';
export const BUSY_MESSAGE = 'The service is too busy right now; try again in a moment.';
