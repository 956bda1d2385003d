import { AppError, UNAVAILABLE_MESSAGE } from '@waymark/contract';

/** What the HTTP client itself refuses to send. */
const UNSENDABLE = new Set(['UND_ERR_INVALID_ARG', 'UND_ERR_NOT_SUPPORTED', 'UND_ERR_REQ_CONTENT_LENGTH_MISMATCH']);

/**
 * Why a service behind gave no answer, as the client may hear it: refused, reset and too slow are all `unavailable`.
 * The address of the service is in the cause, for the log only.
 */
export function upstreamFailure(error: unknown): AppError {
  if (error instanceof AppError) return error;
  const { code } = error as { code?: unknown };
  if (typeof code === 'string' && UNSENDABLE.has(code)) {
    return new AppError('invalid', 'The request holds a header or an address that cannot be passed on.', {
      cause: error,
    });
  }
  return new AppError('unavailable', UNAVAILABLE_MESSAGE, { cause: error });
}

/** True where the connection broke before an answer: another one may work. */
export function isBrokenConnection(error: unknown): boolean {
  const code = (error as { code?: unknown } | null)?.code;
  return code === 'UND_ERR_SOCKET' || code === 'ECONNRESET' || code === 'EPIPE';
}
