import { AppError, UNAVAILABLE_MESSAGE } from '@waymark/contract';

/** There was no connection. Nothing was sent, so it is safe to send the request to another replica. */
const UNSENT = 'ECONNREFUSED EHOSTUNREACH ENETUNREACH ENOTFOUND EAI_AGAIN UND_ERR_CONNECT_TIMEOUT'.split(' ');
/** The connection broke before the response was complete. The request may have taken effect. */
const BROKEN = ['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE'];
/** undici refuses to send the request. */
const UNSENDABLE = ['UND_ERR_INVALID_ARG', 'UND_ERR_NOT_SUPPORTED', 'UND_ERR_REQ_CONTENT_LENGTH_MISMATCH'];

export const isUnsent = (error: unknown): boolean => UNSENT.includes(codeOf(error));
export const isBroken = (error: unknown): boolean => BROKEN.includes(codeOf(error));

/**
 * Converts a failed exchange with a service into the error for the client. Refused and reset connections and timeouts
 * are all `unavailable`. Only the cause, which is logged, holds the address of the service.
 */
export function upstreamFailure(cause: unknown): AppError {
  if (cause instanceof AppError) return cause;
  if (UNSENDABLE.includes(codeOf(cause)))
    return new AppError('invalid', 'The request has a header or a URL that cannot be forwarded.', { cause });
  return new AppError('unavailable', UNAVAILABLE_MESSAGE, { cause });
}

function codeOf(error: unknown): string {
  return String((error as { code?: unknown } | null)?.code);
}
