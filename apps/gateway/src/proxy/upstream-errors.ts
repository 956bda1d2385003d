import { AppError, UNAVAILABLE_MESSAGE } from '@waymark/contract';

/** What the HTTP client itself refuses to send. */
const UNSENDABLE = new Set(['UND_ERR_INVALID_ARG', 'UND_ERR_NOT_SUPPORTED', 'UND_ERR_REQ_CONTENT_LENGTH_MISMATCH']);

/**
 * Why a service behind gave no answer, as the client may hear it: refused, reset and too slow are all `unavailable`.
 * The address of the service is in the cause, for the log only.
 */
export function upstreamFailure(error: unknown): AppError {
  if (error instanceof AppError) return error;
  if (UNSENDABLE.has(codeOf(error))) {
    return new AppError('invalid', 'The request holds a header or an address that cannot be passed on.', {
      cause: error,
    });
  }
  return new AppError('unavailable', UNAVAILABLE_MESSAGE, { cause: error });
}

/** True where no connection came about: nothing was sent, so that sending it elsewhere cannot do anything twice. */
export function isUnsent(error: unknown): boolean {
  return UNREACHABLE.has(codeOf(error));
}

/** True where the connection broke before an answer: the service may have done what was asked. */
export function isBrokenConnection(error: unknown): boolean {
  return BROKEN.has(codeOf(error));
}

const UNREACHABLE = new Set(
  'ECONNREFUSED EHOSTUNREACH ENETUNREACH ENOTFOUND EAI_AGAIN UND_ERR_CONNECT_TIMEOUT'.split(' '),
);
const BROKEN = new Set(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE']);

function codeOf(error: unknown): string {
  return String((error as { code?: unknown } | null)?.code);
}
