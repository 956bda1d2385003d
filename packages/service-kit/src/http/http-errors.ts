import {
  AppError,
  ERRORS,
  type ErrorCode,
  toAppError,
  UNAUTHENTICATED_MESSAGE,
  UNAVAILABLE_MESSAGE,
  waitOf,
} from '@waymark/contract';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { WRONG_TYPE_MESSAGE } from './json-body.ts';
import { shownSize } from './request-body.ts';

/** The body of every error response: exactly one field. */
export interface ErrorBody {
  error: string;
}

export const NOT_FOUND_MESSAGE = 'Not found: this path does not exist or does not support this method.';

/** Converts any thrown value to the error that the client receives. */
export function failureOf(error: unknown, bodyLimitBytes: number): AppError {
  if (error instanceof AppError) return error;
  const { code, statusCode } = (typeof error === 'object' && error !== null ? error : {}) as {
    code?: unknown;
    statusCode?: unknown;
  };
  switch (code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return new AppError('too_large', `The body is over ${shownSize(bodyLimitBytes)}; send a smaller one.`);
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return new AppError('invalid', WRONG_TYPE_MESSAGE);
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
      return new AppError('invalid', 'The length of the body differs from its Content-Length.');
    case 'FST_ERR_BAD_URL':
    case 'FST_ERR_NOT_FOUND':
      return new AppError('not_found', NOT_FOUND_MESSAGE);
    case 'FST_ERR_HANDLER_TIMEOUT':
      return new AppError('deadline_exceeded', UNAVAILABLE_MESSAGE, { cause: error });
  }
  return typeof statusCode === 'number' ? failureOfStatus(statusCode, error) : toAppError(error);
}

/** Converts a status from the framework or a plugin to an error. Replaces its message, which may reveal internals. */
function failureOfStatus(status: number, cause: unknown): AppError {
  if (status === 503) return new AppError('unavailable', UNAVAILABLE_MESSAGE, { cause });
  if (status < 400 || status >= 500) return toAppError(cause);
  const code = (Object.keys(ERRORS) as ErrorCode[]).find((one) => ERRORS[one].http === status) ?? 'invalid';
  return new AppError(code, REFUSALS[code] ?? 'The request is not valid.', { cause });
}

const REFUSALS: Partial<Record<ErrorCode, string>> = {
  unauthenticated: UNAUTHENTICATED_MESSAGE,
  forbidden: 'This is not allowed.',
  not_found: NOT_FOUND_MESSAGE,
  method_not_allowed: 'This path does not have this method.',
  too_large: 'The body is too large; send a smaller one.',
  rate_limited: 'Too many requests; slow down.',
};

/**
 * Sends an error response: the status, `X-Request-Id`, `Retry-After`, `WWW-Authenticate` and the one-field body, or
 * `instead` of it another status and body, or a page. A `WWW-Authenticate` and other headers that were set before stay. Logs the
 * error if its status is 500 or above. If the client has gone, only `internal` is logged: other work was given up
 * because of that.
 */
export function sendFailure(
  failure: AppError,
  request: FastifyRequest,
  reply: FastifyReply,
  instead?: { status: number; body: object } | { html: string },
): FastifyReply {
  const status = failure.httpStatus;
  // Fastify runs no hook for a path that it cannot route, or a method that it does not know.
  reply.header('x-request-id', request.id);
  if (status >= 500 && (failure.code === 'internal' || !request.socket.destroyed))
    request.log.error({ err: failure.code === 'internal' ? (failure.cause ?? failure) : failure }, 'request failed');
  if (status === 401 && !reply.hasHeader('www-authenticate')) reply.header('www-authenticate', 'Bearer');
  const wait = waitOf(failure);
  if (wait !== undefined) reply.header('retry-after', wait);
  if (instead !== undefined && 'html' in instead) return reply.code(status).send(instead.html);
  return reply
    .code(instead?.status ?? status)
    .type('application/json; charset=utf-8')
    .serializer(JSON.stringify)
    .send(instead?.body ?? ({ error: failure.message } satisfies ErrorBody));
}
