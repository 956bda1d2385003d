import { AppError, UNAVAILABLE_MESSAGE } from '@waymark/contract';

/** Error codes of requests that undici refuses to send. */
const UNSENDABLE = new Set(['UND_ERR_INVALID_ARG', 'UND_ERR_NOT_SUPPORTED', 'UND_ERR_REQ_CONTENT_LENGTH_MISMATCH']);

/**
 * Converts a failed exchange with a service into the error for the client. Refused and reset connections and timeouts
 * are all `unavailable`. Only the cause, which is logged, holds the address of the service.
 */
export function upstreamFailure(error: unknown): AppError {
  if (error instanceof AppError) return error;
  if (UNSENDABLE.has(codeOf(error))) {
    return new AppError('invalid', 'The request has a header or a URL that cannot be forwarded.', {
      cause: error,
    });
  }
  return new AppError('unavailable', UNAVAILABLE_MESSAGE, { cause: error });
}

/** Returns true if there was no connection. Nothing was sent, so it is safe to send the request to another replica. */
export function isUnsent(error: unknown): boolean {
  return UNREACHABLE.has(codeOf(error));
}

/** Returns true if the connection broke before the response was complete. The request may have taken effect. */
export function isBroken(error: unknown): boolean {
  return BROKEN.has(codeOf(error));
}

const UNREACHABLE = new Set(
  'ECONNREFUSED EHOSTUNREACH ENETUNREACH ENOTFOUND EAI_AGAIN UND_ERR_CONNECT_TIMEOUT'.split(' '),
);
const BROKEN = new Set(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE']);

function codeOf(error: unknown): string {
  return String((error as { code?: unknown } | null)?.code);
}
