/**
 * Every way a request can fail, and what each looks like at the two doors. One table: a code is thrown in the
 * domain and translated only here, to an HTTP status (docs/api.md, Errors) and a gRPC status
 * (https://grpc.github.io/grpc/core/md_doc_statuscodes.html).
 */
export const ERRORS = {
  unauthenticated: { http: 401, grpc: 16 },
  forbidden: { http: 403, grpc: 7 },
  not_found: { http: 404, grpc: 5 },
  method_not_allowed: { http: 405, grpc: 12 },
  too_large: { http: 413, grpc: 11 },
  invalid: { http: 422, grpc: 3 },
  conflict: { http: 422, grpc: 6 },
  rate_limited: { http: 429, grpc: 8 },
  internal: { http: 500, grpc: 13 },
  unavailable: { http: 503, grpc: 14 },
  deadline_exceeded: { http: 503, grpc: 4 },
} as const satisfies Record<string, { http: number; grpc: number }>;

export type ErrorCode = keyof typeof ERRORS;

export interface AppErrorOptions {
  /** What went wrong underneath: for the log, never for the client. */
  cause?: unknown;
  /** Seconds after which a retry makes sense; the `Retry-After` header. */
  retryAfterSeconds?: number;
}

/** A failure with a code of {@link ERRORS}. Its `message` is public: one sentence that the caller can act on. */
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

  /** The HTTP status of the contract for this failure. */
  get httpStatus(): number {
    return ERRORS[this.code].http;
  }

  /** The gRPC status code for this failure. */
  get grpcStatus(): number {
    return ERRORS[this.code].grpc;
  }
}

const RETRY_UNAVAILABLE_SECONDS = 1;

/** The code that a gRPC status stands for; a status of no code of ours is `internal`. */
export function errorCodeOfGrpcStatus(status: number): ErrorCode {
  for (const [code, row] of Object.entries(ERRORS)) if (row.grpc === status) return code as ErrorCode;
  return 'internal';
}

/** Any thrown value as an {@link AppError}: what is unknown becomes `internal`, its cause kept for the log. */
export function toAppError(error: unknown): AppError {
  return error instanceof AppError ? error : new AppError('internal', INTERNAL_MESSAGE, { cause: error });
}

export const INTERNAL_MESSAGE =
  'Something went wrong on our side; the request id in X-Request-Id finds it in our logs.';
export const UNAUTHENTICATED_MESSAGE = 'Missing or invalid API key. Send it as "Authorization: Bearer <API_KEY>".';
export const LINK_NOT_FOUND_MESSAGE = 'Link not found.';
export const UNAVAILABLE_MESSAGE = 'A part of the service is not reachable right now; try again in a moment.';
